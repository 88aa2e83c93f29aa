import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';

/** This machine, and the addresses of instance metadata. */
const direct = 'localhost,127.0.0.1,::1,[::1],169.254.0.0-169.254.255.255';

/** A value of the profile in ~/.aws/config. */
export const ofProfile = (key: string): string | undefined => {
  const {
    AWS_CONFIG_FILE: file = join(homedir(), '.aws/config'),
    AWS_PROFILE: profile = 'default',
  } = process.env;
  const sections = existsSync(file) ? readFileSync(file, 'utf8').split(/^\s*\[/m) : [];
  const own = sections.find(text =>
    [profile, `profile ${profile}`].includes(text.split(']')[0]!.trim()),
  );
  return (
    new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*(.*?)[ \\t]*(?:[ \\t][#;].*)?$`, 'm').exec(
      own ?? '',
    )?.[1] || undefined
  );
};

/**
 * `fetch` and the clients of awsClient (aws-client.ts) use the proxy of HTTPS_PROXY and HTTP_PROXY, as `aws`, `npm` and `cdk` do.
 * Threads and processes of this one do so, too. Connections to this machine never do.
 */
export const useProxy = (): void => {
  const { env } = process;
  const exceptions = env.no_proxy ?? env.NO_PROXY;
  if (exceptions !== '*' && !exceptions?.endsWith(direct))
    env.NO_PROXY = env.no_proxy = exceptions ? `${exceptions},${direct}` : direct;
  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    const url = env[name];
    if (!url) continue;
    // The AWS CLI and curl need no scheme.
    env[name] = url.includes('://') ? url : `http://${url.replace(/^\/\//, '')}`;
    env.NODE_USE_ENV_PROXY = '1';
  }
  if (env.NODE_USE_ENV_PROXY === '1') http.setGlobalProxyFromEnv(env);
};

let trusted: string | undefined;
/** Adds the certificates of AWS_CA_BUNDLE or `ca_bundle` to those that this thread trusts. @throws {Error} */
export const trustCaBundle = (): void => {
  const [name, file] = process.env.AWS_CA_BUNDLE
    ? ['AWS_CA_BUNDLE', process.env.AWS_CA_BUNDLE]
    : ['ca_bundle in ~/.aws/config', ofProfile('ca_bundle')];
  if (!file || file === trusted) return;
  try {
    trusted = file;
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(file, 'utf8')]);
  } catch (cause) {
    throw new Error(`${name} names ${file}, which has no certificates that can be read`, { cause });
  }
};
