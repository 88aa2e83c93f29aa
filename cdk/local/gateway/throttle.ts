import { onlyResourceOf, type Template } from '../../synthesis/template.ts';

/** The rate limit in requests per second, and the burst. */
export interface MethodThrottle {
  readonly rate: number;
  readonly burst: number;
}

/** Decodes the resource path of a method setting, where `~1` is a slash: `/~1pets` is `/pets`, and the root is `/`. */
const pathOfSetting = (path: string) => path.replace(/^\/(?=~1)/, '').replaceAll('~1', '/');

/** Returns a method's own throttle, or else the stage's. The setting of the stage has the method `*` and the path `/*`. */
export const readThrottles = (template: Template): ((method: string, path: string) => MethodThrottle) => {
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

/** A token bucket; each method of a stage has its own. @returns whether a request is allowed */
export const createThrottle = ({ rate, burst }: MethodThrottle, now: () => number = Date.now) => {
  let tokens = burst;
  let last = now();
  return (): boolean => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - last) / 1000) * rate);
    last = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};
