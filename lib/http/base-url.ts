import { environment } from '../environment.ts';
import type { GatewayEvent } from './gateway.ts';

const segments = (path: string) => path.split('/').filter(Boolean);

/**
 * The address under which callers reach the API. PUBLIC_URL where the deployment sets it, because what stands before the
 * stage is known to nobody here. Else the gateway's: its host, and the stage or the base path of a custom domain, which is
 * what requestContext.path has in front of the operation's own segments. (A URL of the stage in the function's environment
 * would be a circular reference: stage → deployment → method → function.)
 *
 * No header has a say in it, because a client can send any. API Gateway speaks https alone and on its port
 * (docs.aws.amazon.com/apigateway/latest/developerguide/data-protection-encryption.html); a host with a port is a local one.
 */
export const baseUrl = (event: GatewayEvent): string => {
  if (environment.publicUrl) return environment.publicUrl;
  const { domainName, path } = event.requestContext;
  const scheme = domainName?.includes(':') ? 'http' : 'https';
  const prefix = segments(path).slice(0, segments(path).length - segments(event.resource).length);
  return [`${scheme}://${domainName}`, ...prefix].join('/');
};

/** A path template with its parameters filled in. */
export const fill = (template: string, values: object): string =>
  template.replace(/{(\w+)}/g, (_, name: string) =>
    encodeURIComponent(String((values as Record<string, unknown>)[name] ?? '').toWellFormed()),
  );
