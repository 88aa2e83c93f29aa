import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { OperationId, operations, RegisteredOperation } from '../lib/operations/index.ts';
import { type Scope, scopes } from '../lib/scopes.ts';

type DeprecatedId = {
  [Id in keyof typeof operations]: (typeof operations)[Id] extends { deprecated: object } ? Id : never;
}[keyof typeof operations];

/** A deprecated operation's dates, as YYYY-MM-DD; both count from and to the end of the day in UTC. */
interface LifeCycle {
  readonly deprecatedOn: string;
  readonly sunsetOn: string;
}

/**
 * Everything that a deployment decides. Bounds that cap the bill stand together, with what they bound. (The largest body,
 * 16 384 bytes, is the contract's and not a setting: lib/http/read-body.ts.)
 */
export interface Settings {
  /** Requests per second of the whole API, and how many may come at once. What is refused here (429) costs nothing. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** The same for the files of the documentation page. */
  readonly filesThrottle: { readonly rate: number; readonly burst: number };
  /** Request units per second, beyond which DynamoDB throttles and callers see 503. */
  readonly maxRequestUnits: {
    readonly table: { readonly read: number; readonly write: number };
    readonly index: { readonly read: number; readonly write: number };
  };
  /** Megabytes; a function's share of a CPU grows with it. */
  readonly functionMemory: number;
  /** Seconds. The model gives up on DynamoDB well before. */
  readonly functionTimeout: number;
  /** Seconds that the gateway waits for a function. */
  readonly integrationTimeout: number;
  readonly logRetention: RetentionDays;
  /** Needs the account's CloudWatch role for API Gateway (see the README), which this stack must not set for its neighbours. */
  readonly accessLog: boolean;
  /** Shards of every index partition; never make it smaller (lib/model/keys.ts). */
  readonly indexShards: number;
  /** Machine clients of the user pool and the scopes that their tokens may carry. */
  readonly clients: Readonly<Record<string, readonly Scope[]>>;
  readonly lifeCycle: Record<DeprecatedId, LifeCycle>;
  /** Whether a deprecated operation answers 410 past its sunset. */
  readonly enforceSunset: boolean;
}

const defaults: Settings = {
  throttle: { rate: 20, burst: 40 },
  filesThrottle: { rate: 1, burst: 40 },
  maxRequestUnits: { table: { read: 200, write: 150 }, index: { read: 100, write: 50 } },
  functionMemory: 1024,
  functionTimeout: 5,
  integrationTimeout: 10,
  logRetention: RetentionDays.ONE_MONTH,
  accessLog: false,
  indexShards: 1,
  clients: { staff: scopes, shop: ['orders'] },
  lifeCycle: { getPet: { deprecatedOn: '2026-11-01', sunsetOn: '2027-12-31' } },
  enforceSunset: false,
};

/** What a stage decides differently. A stage that is not named here is deployed with the defaults. */
const stages: Record<string, Partial<Settings>> = {
  // On one machine: the `rival` is there to see that one shop cannot touch another's orders.
  local: {
    throttle: { rate: 10_000, burst: 5_000 },
    filesThrottle: { rate: 10_000, burst: 5_000 },
    clients: { ...defaults.clients, rival: ['orders'] },
  },
};

/** The dates of an operation that is deprecated. */
export const lifeCycleOf = ({ id }: RegisteredOperation, settings: Settings): LifeCycle | undefined => {
  const dates: Partial<Record<OperationId, LifeCycle>> = settings.lifeCycle;
  return dates[id];
};

/** The environment variables by which a deprecated operation's function knows its dates. */
export const lifeCycleEnvironment = (operation: RegisteredOperation, settings: Settings): Record<string, string> => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (!lifeCycle) return {};
  const { deprecatedOn, sunsetOn } = lifeCycle;
  return { DEPRECATED_ON: deprecatedOn, SUNSET_ON: sunsetOn, ENFORCE_SUNSET: String(settings.enforceSunset) };
};

export const settingsOf = (stage: string): Settings => ({ ...defaults, ...stages[stage] });
