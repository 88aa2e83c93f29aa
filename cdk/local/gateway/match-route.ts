/** A path template of the API with its methods; `ANY` is one of them. */
export interface Route<M> {
  readonly path: string;
  readonly methods: ReadonlyMap<string, M>;
}

export interface Match<M> {
  readonly resource: Route<M>;
  readonly method: M;
  /** Still percent-encoded, as API Gateway hands them over. */
  readonly parameters: Record<string, string>;
}

const isGreedy = (step: string) => step.endsWith('+}');
const isParameter = (step: string) => step.startsWith('{');
const stepsOf = (path: string) => path.split('/').slice(1);

/** Static before parameter before greedy, step by step. */
const rank = (path: string) =>
  stepsOf(path)
    .map(step => (isGreedy(step) ? '2' : isParameter(step) ? '1' : '0'))
    .join('');

const bind = (template: string, path: string): Record<string, string> | undefined => {
  const wanted = stepsOf(template);
  const given = stepsOf(path);
  const parameters: Record<string, string> = {};
  for (const [index, step] of wanted.entries()) {
    const value = given[index];
    if (value === undefined) return undefined;
    if (isGreedy(step)) {
      parameters[step.slice(1, -2)] = given.slice(index).join('/');
      return parameters;
    }
    if (!isParameter(step)) {
      if (step !== value) return undefined;
    } else if (value === '') return undefined;
    else parameters[step.slice(1, -1)] = value;
  }
  return given.length === wanted.length ? parameters : undefined;
};

/** As recorded from API Gateway, several slashes at the beginning are one; within the path each counts. */
export const withoutLeadingSlashes = (path: string): string => path.replace(/^\/+/, '/');

/** What ANY stands for. Developer guide, "Set up a method using the API Gateway console". */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds what answers a request. A trailing slash does not count. As recorded from API Gateway, a path whose own resource
 * lacks the method falls through to a parameter or greedy sibling.
 */
export const match = <M>(resources: readonly Route<M>[], method: string, path: string): Match<M> | undefined => {
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
