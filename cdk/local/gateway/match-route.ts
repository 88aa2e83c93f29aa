import type { Route } from '../../synthesis/api.ts';

export interface Match<M> {
  readonly resource: Route<M>;
  readonly method: M;
  /** Percent-encoded, as API Gateway passes them on. */
  readonly parameters: Record<string, string>;
}

/** A sort key: static segments come before parameters, and these before greedy ones. `~` sorts after the letters. */
const rank = (path: string) => path.replace(/{\w+(\+?)}/g, (_, greedy) => (greedy ? '~~' : '~'));

/** A parameter matches one segment, a greedy one the rest of the path. */
const toPattern = (path: string): RegExp => {
  const groupOf = (_: string, name: string, greedy: string) =>
    `(?<${name}>${greedy ? '.*' : '[^/]+'})`;
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/{(\w+)(\+?)}/g, groupOf)}$`, 's');
};
const patterns = new Map<string, RegExp>();

/** @returns undefined if the path does not match */
const bind = (template: string, path: string): Record<string, string> | undefined => {
  const pattern = patterns.get(template) ?? toPattern(template);
  patterns.set(template, pattern);
  const match = pattern.exec(path);
  return match ? { ...match.groups } : undefined;
};

/** As recorded from API Gateway: several leading slashes count as one, other repeated slashes are not merged. */
export const withoutLeadingSlashes = (path: string): string => path.replace(/^\/+/, '/');

/** The methods that ANY includes. Developer guide, "Set up a method using the API Gateway console". */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** Ignores a trailing slash. As recorded from API Gateway, uses the most specific resource that has the method. */
export const matchRoute = <M>(
  resources: readonly Route<M>[],
  method: string,
  path: string,
): Match<M> | undefined => {
  const collapsed = withoutLeadingSlashes(path);
  const trimmed =
    collapsed.length > 1 && collapsed.endsWith('/') ? collapsed.slice(0, -1) : collapsed;
  const candidates = resources
    .flatMap(resource => {
      const parameters = bind(resource.path, trimmed);
      return parameters ? [{ resource, parameters }] : [];
    })
    .sort((a, b) => (rank(a.resource.path) < rank(b.resource.path) ? -1 : 1));
  for (const { resource, parameters } of candidates) {
    const found =
      resource.methods.get(method) ??
      (anyMethods.has(method) ? resource.methods.get('ANY') : undefined);
    if (found) return { resource, method: found, parameters };
  }
  return undefined;
};
