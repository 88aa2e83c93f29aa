import { environment } from '../environment.ts';
import type { GatewayEvent } from './gateway.ts';

const segments = (path: string) => path.split('/').filter(Boolean);

/**
 * PUBLIC_URL if the stage has a domain or a proxy in front, because a request does not reveal its URL. Otherwise the gateway's
 * host and the part of `requestContext.path` before the path of the operation: the stage, or the base path of a custom domain.
 * (The function's environment cannot have the URL of the stage, because that is a circular reference: stage → deployment → method
 * → function.)
 *
 * Request headers are not used, because a client can send any. A host with a port is a local server, because API Gateway serves
 * only https on its standard port (docs.aws.amazon.com/apigateway/latest/developerguide/data-protection-encryption.html).
 */
export const baseUrl = (event: GatewayEvent): string => {
  if (environment.publicUrl) return environment.publicUrl;
  const { domainName, path } = event.requestContext;
  const scheme = domainName?.includes(':') ? 'http' : 'https';
  const prefix = segments(path).slice(0, segments(path).length - segments(event.resource).length);
  return [`${scheme}://${domainName}`, ...prefix].join('/');
};

export const fill = (template: string, values: object): string =>
  template.replace(/{(\w+)}/g, (_, name: string) =>
    encodeURIComponent(String((values as Record<string, unknown>)[name] ?? '').toWellFormed()),
  );
