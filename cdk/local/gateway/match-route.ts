/** A path template of the API with its methods; `ANY` is one of them. */
export interface Route<M> {
  readonly path: string;
  readonly methods: ReadonlyMap<string, M>;
}

export interface Match<M> {
  readonly resource: Route<M>;
  readonly method: M;
  /** Percent-encoded, as API Gateway passes them on. */
  readonly parameters: Record<string, string>;
}

const isGreedy = (segment: string) => segment.endsWith('+}');
const isParameter = (segment: string) => segment.startsWith('{');
const segmentsOf = (path: string) => path.split('/').slice(1);

/** Sorts static before parameter before greedy, segment by segment. */
const rank = (path: string) =>
  segmentsOf(path)
    .map(segment => (isGreedy(segment) ? '2' : isParameter(segment) ? '1' : '0'))
    .join('');

const bind = (template: string, path: string): Record<string, string> | undefined => {
  const templateSegments = segmentsOf(template);
  const segments = segmentsOf(path);
  const parameters: Record<string, string> = {};
  for (const [index, segment] of templateSegments.entries()) {
    const value = segments[index];
    if (value === undefined) return undefined;
    if (isGreedy(segment)) {
      parameters[segment.slice(1, -2)] = segments.slice(index).join('/');
      return parameters;
    }
    if (!isParameter(segment)) {
      if (segment !== value) return undefined;
    } else if (value === '') return undefined;
    else parameters[segment.slice(1, -1)] = value;
  }
  return segments.length === templateSegments.length ? parameters : undefined;
};

/** As recorded from API Gateway, several leading slashes count as one. Other repeated slashes are not merged. */
export const withoutLeadingSlashes = (path: string): string => path.replace(/^\/+/, '/');

/** The methods that ANY includes. Developer guide, "Set up a method using the API Gateway console". */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds the method for a request. A trailing slash is ignored. As recorded from API Gateway, if the most specific resource
 * does not have the method, a parameter or greedy resource that has it is used.
 */
export const matchRoute = <M>(resources: readonly Route<M>[], method: string, path: string): Match<M> | undefined => {
  const collapsed = withoutLeadingSlashes(path);
  const trimmed = collapsed.length > 1 && collapsed.endsWith('/') ? collapsed.slice(0, -1) : collapsed;
  const candidates = resources
    .flatMap(resource => {
      const parameters = bind(resource.path, trimmed);
      return parameters ? [{ resource, parameters }] : [];
    })
    .sort((a, b) => (rank(a.resource.path) < rank(b.resource.path) ? -1 : 1));
  for (const { resource, parameters } of candidates) {
    const found = resource.methods.get(method) ?? (anyMethods.has(method) ? resource.methods.get('ANY') : undefined);
    if (found) return { resource, method: found, parameters };
  }
  return undefined;
};
