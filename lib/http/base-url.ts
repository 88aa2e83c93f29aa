import { type GatewayEvent, headerValues } from './gateway.ts';

const segments = (path: string) => path.split('/').filter(Boolean);

/**
 * The address under which the caller reached the API: its host, and the stage or the base path of a custom domain, which
 * is what requestContext.path has in front of the operation's own segments. (A URL in the function's environment would
 * be a circular reference: stage → deployment → method → function.)
 */
export const baseUrl = (event: GatewayEvent): string => {
  const { domainName, path } = event.requestContext;
  const scheme = headerValues(event, 'X-Forwarded-Proto')?.at(-1) === 'http' ? 'http' : 'https';
  const prefix = segments(path).slice(0, segments(path).length - segments(event.resource).length);
  return [`${scheme}://${domainName}`, ...prefix].join('/');
};

/** A path template with its parameters filled in. */
export const fill = (template: string, values: object): string =>
  template.replace(/{(\w+)}/g, (_, name: string) =>
    encodeURIComponent(String((values as Record<string, unknown>)[name] ?? '').toWellFormed()),
  );
