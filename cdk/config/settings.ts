import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IndexKey } from '../../lib/model/table/indexes.ts';
import type { OperationId, operations, RegisteredOperation } from '../../lib/operations/index.ts';
import { type Scope, scopes } from '../../lib/scopes.ts';
import { fixedAnswers, type Limits, limitedAlike, limits, type Throttle } from './limits.ts';

type DeprecatedId = {
  [Id in keyof typeof operations]: (typeof operations)[Id] extends { deprecated: object } ? Id : never;
}[keyof typeof operations];

/** A deprecated operation's dates, as YYYY-MM-DD in UTC: from the start of the one to the end of the other. */
interface LifeCycle {
  readonly deprecatedOn: string;
  readonly sunsetOn: string;
}

/** A partner's server that is sent events; how, is in cdk/stack/webhooks.ts. */
export interface Webhook {
  /** Where to: https, on the internet. */
  readonly url: string;
  /** Which events: their types, or what types begin with and a star: `petstore.order.*`. */
  readonly types: readonly string[];
  /** Whose order events alone: a client of these settings, by its name; of a pool that was there before, by its id. */
  readonly client?: string;
  /** The name, in Secrets Manager, of what every request carries as X-Webhook-Secret: the secret's whole text. */
  readonly secret: string;
  /** Requests a second at most, 1 … 300. Far below what happens, events wait for longer than they are kept for. */
  readonly rate: number;
}

/** A table that exists, in the stage's account and region. */
export interface AdoptedTable {
  readonly arn: string;
  /** Of its stream, which has both images; the publisher reads it. */
  readonly streamArn: string;
  /** The `eventsGeneration` that begins with it, from 2. It stands with the table, so that none goes on with that of another. */
  readonly generation: number;
}

/** A name of your own for the API. */
export interface Domain {
  /** Without a path: `pets.example.com`. */
  readonly name: string;
  /** Of a certificate for this name, in the stage's region (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html). */
  readonly certificateArn: string;
  /** The Route 53 zone that gets the record; absent: you make the record where the name is kept. */
  readonly hostedZone?: { readonly id: string; readonly name: string };
}

/**
 * Everything that a deployment decides. Bounds that cap the bill stand together, with what they bound. (The largest body,
 * 16 384 bytes, is the contract's and not a setting: lib/bounds.ts.)
 */
export interface Settings {
  /** Throttle and time-out of each operation. */
  readonly limits: Limits;
  /** The throttle of every method without a row there: 404, 405, preflights. */
  readonly fixedAnswers: Throttle;
  /**
   * Request units per second of the table and of each index, beyond which DynamoDB throttles and callers see 503. Above
   * what all operations together can take at their rates, so that it never comes to that (test/api/request-units.test.ts).
   */
  readonly maxRequestUnits: Readonly<Record<'table' | IndexKey, { readonly read: number; readonly write: number }>>;
  /** Megabytes; a function's share of a CPU grows with it. */
  readonly functionMemory: number;
  /** The address of what stands before the stage, such as a CDN. Absent: callers are told the domain's, or else the gateway's own. */
  readonly publicUrl?: string;
  /** With it the gateway's own address is closed. */
  readonly domain?: Domain | undefined;
  readonly logRetention: RetentionDays;
  /** Needs the account's CloudWatch role for API Gateway (cdk/README.md), which this stack must not set for its neighbours. */
  readonly accessLog: boolean;
  /** Whether Lambda writes lines of its own for each invocation: duration, billed duration, memory, start. Ours has the duration as callers see it. */
  readonly reportLines: boolean;
  /** Who is told when somebody must act; absent: nobody, without charge. The address confirms its subscription first. */
  readonly alarms?: { readonly email: string } | undefined;
  /** Whether there is a page of graphs, which costs beyond the account's third. */
  readonly dashboard: boolean;
  /**
   * Shards of every index partition, of which lists read so many and writes fill so many. Never make either smaller
   * (lib/model/table/keys.ts), and raise `read` a deployment before `write`: functions do not switch together.
   */
  readonly indexShards: { readonly read: number; readonly write: number };
  /** Machine clients of the user pool and the scopes that their tokens may carry. */
  readonly clients: Readonly<Record<string, readonly Scope[]>>;
  /** Minutes for which an access token of the stage's own user pool is valid: 5 … 1440, as Cognito allows. */
  readonly tokenLifetime: number;
  readonly lifeCycle: Record<DeprecatedId, LifeCycle>;
  /** Whether a deprecated operation answers 410 past its sunset. */
  readonly enforceSunset: boolean;
  /** Where the stage is; absent: where the credentials of whoever deploys lead. */
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  /** A user pool that exists and issues this stage's tokens, and where it does so; absent: the stage has its own. */
  readonly userPoolArn?: string | undefined;
  readonly tokenUrl?: string | undefined;
  /** Whether committed changes are told on an event bus. */
  readonly events: boolean;
  /**
   * 1 … 9999, the first part of every event's sequence. Raise it when another table takes the place of this one (one restored
   * from a backup counts its items' writes from an earlier state) and when the own one returns, and never lower it.
   */
  readonly eventsGeneration: number;
  /** By name: lower-case letters, digits and hyphens. */
  readonly webhooks: Readonly<Record<string, Webhook>>;
  /**
   * A table that takes the place of the stack's own, such as one restored from a backup (`npm run restore-drill -- --keep`
   * prints it). Its settings are then nobody's but the operator's: the stack neither makes nor changes it. The own one
   * stays meanwhile, with all that it holds, and serves again once this is taken away (cdk/RUNBOOK.md, "To restore").
   */
  readonly adoptedTable?: AdoptedTable | undefined;
  /** Table, user pool and clients are protected from deletion and outlive the stack. */
  readonly keepsData: boolean;
  /** The stack cannot be deleted before somebody has taken this from it. */
  readonly terminationProtection: boolean;
}

const defaults: Settings = {
  limits,
  fixedAnswers,
  maxRequestUnits: {
    table: { read: 700, write: 230 },
    all: { read: 230, write: 25 },
    byState: { read: 180, write: 25 },
    byGroup: { read: 85, write: 25 },
    byGroupAndState: { read: 175, write: 25 },
  },
  functionMemory: 1024,
  logRetention: RetentionDays.ONE_MONTH,
  accessLog: false,
  reportLines: false,
  dashboard: false,
  indexShards: { read: 1, write: 1 },
  tokenLifetime: 24 * 60,
  clients: { staff: scopes, shop: ['orders'] },
  lifeCycle: { getPet: { deprecatedOn: '2026-11-01', sunsetOn: '2027-12-31' } },
  enforceSunset: false,
  events: true,
  eventsGeneration: 1,
  webhooks: {},
  keepsData: true,
  terminationProtection: false,
};

/** The stages, and what each decides differently. */
const stages: Record<string, Partial<Settings>> = {
  // On one machine, whose cores all functions share: more time. The `rival` is there to see that one shop cannot touch
  // another's orders.
  local: {
    limits: limitedAlike({ rate: 10_000, burst: 5_000, timeout: 5 }),
    fixedAnswers: { rate: 10_000, burst: 5_000 },
    clients: { ...defaults.clients, rival: ['orders'] },
  },
  // `cdk destroy` leaves nothing of it behind.
  dev: { keepsData: false },
  beta: {},
  prod: { terminationProtection: true },
};

/** A stage that its own table serves, also while it has adopted another. */
export const withOwnTable = { adoptedTable: undefined } satisfies Partial<Settings>;

/** Those that can be deployed; `local` is this machine. */
export const deployedStages: readonly string[] = Object.keys(stages).filter(stage => stage !== 'local');

/** For who asked for another. */
export const listOfStages = `There are ${deployedStages.join(', ')} (cdk/config/settings.ts): -c stage=prod`;

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

/** @throws when no stage has this name, with the list of those that can be deployed */
export const settingsOf = (stage: string): Settings => {
  if (!Object.hasOwn(stages, stage)) throw new Error(`There is no stage "${stage}". ${listOfStages}`);
  return { ...defaults, ...stages[stage] };
};
