import { onlyResourceOf, type Template } from '../../build/template.ts';

/** Requests per second, and how many at once. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

interface MethodSetting {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** In a resource path of a method setting, `~1` stands for a slash: `/~1pets` for `/pets`, while the root is `/`. */
const pathOfSetting = (path: string) => path.replace(/^\/(?=~1)/, '').replaceAll('~1', '/');

/** Says the throttle of a method: its own setting in place of the stage's, which stands under `*` and `/*`. */
export const readThrottles = (template: Template): ((method: string, path: string) => Throttle) => {
  const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
  const throttles = new Map(
    (stage.MethodSettings as MethodSetting[]).map(
      ({ HttpMethod, ResourcePath, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => [
        `${HttpMethod} ${pathOfSetting(ResourcePath)}`,
        { rate, burst },
      ],
    ),
  );
  const inherited = throttles.get('* /*');
  if (!inherited) throw new Error('The stage has no throttle for the methods that have none of their own.');
  return (method, path) => throttles.get(`${method} ${path}`) ?? inherited;
};

/** A token bucket, as each method of a stage has one: `rate` requests a second, `burst` at once. Says whether a request may pass. */
export const createThrottle = ({ rate, burst }: Throttle, now: () => number = Date.now) => {
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
