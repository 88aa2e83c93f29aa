import { onlyResourceOf, type Template } from './template.ts';

/** `rate` is in requests per second. */
export interface MethodThrottle {
  readonly rate: number;
  readonly burst: number;
}

/** In a method setting, `~1` is a slash: `/~1pets` is `/pets`, and the root is `/`. */
const pathOfSetting = (path: string) => path.replace(/^\/(?=~1)/, '').replaceAll('~1', '/');

/** The stage's setting has the method `*` and the path `/*`. */
export const readThrottles = (
  template: Template,
): ((method: string, path: string) => MethodThrottle) => {
  const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
  const throttles = new Map<string, MethodThrottle>();
  for (const { HttpMethod: method, ResourcePath: path, ...setting } of stage.MethodSettings) {
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = setting;
    throttles.set(`${method} ${pathOfSetting(path)}`, { rate, burst });
  }
  const inherited = throttles.get('* /*');
  if (!inherited) throw new Error('The stage has no default throttle (method * and path /*).');
  return (method, path) => throttles.get(`${method} ${path}`) ?? inherited;
};
