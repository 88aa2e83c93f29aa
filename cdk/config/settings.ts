import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { maxGeneration } from '../../lib/events/cloud-event.ts';
import { type IndexKey, readFrom } from '../../lib/model/table/indexes.ts';
import {
  allOperations,
  type OperationId,
  type operations,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { defaultThrottle, Limits, limits, Throttle, uniformLimits } from './limits.ts';
import { settingRules } from './setting-rules.ts';
import { SettingsError } from './settings-error.ts';
import { integer, like, validate } from './validate.ts';
import { Webhooks } from './webhooks.ts';

type DeprecatedId = {
  [Id in keyof typeof operations]: (typeof operations)[Id] extends { deprecated: object } ? Id : never;
}[keyof typeof operations];

const deprecatedIds = allOperations.filter(({ deprecated }) => deprecated).map(({ id }) => id as DeprecatedId);

const date = z.iso.date('the like of 2027-12-31');

/** A deprecated operation's dates in UTC: from the start of the one to the end of the other. */
const LifeCycle = z
  .strictObject({ deprecatedOn: date, sunsetOn: date })
  .superRefine(({ deprecatedOn, sunsetOn }, { addIssue }) => {
    const message = `a day that is not before deprecatedOn, ${deprecatedOn}`;
    if (sunsetOn < deprecatedOn) addIssue({ code: 'custom', path: ['sunsetOn'], message, input: sunsetOn });
  });
type LifeCycle = z.infer<typeof LifeCycle>;

const tableArn = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;

/** A table that exists, in the stage's account and region. */
const AdoptedTable = z
  .strictObject({
    arn: like('arn:aws:dynamodb:eu-west-1:123456789012:table/restored', tableArn),
    /** Of its stream, which has both images; the publisher reads it. */
    streamArn: z.string(),
    /** The `eventsGeneration` that begins with it. It stands with the table, so that none goes on with that of another. */
    generation: integer(2, maxGeneration),
  })
  .superRefine(({ arn, streamArn }, { addIssue }) => {
    const message = `the ARN of the table's own stream, the like of ${arn}/stream/2026-11-21T10:00:00.000`;
    if (!streamArn.startsWith(`${arn}/stream/`))
      addIssue({ code: 'custom', path: ['streamArn'], message, input: streamArn });
  });

/** A name of your own for the API. */
export const Domain = z
  .strictObject({
    /** Without a path. */
    name: like('pets.example.com', /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/),
    /** Of a certificate for this name, in the stage's region (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html). */
    certificateArn: like(
      'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd',
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
    ),
    /** The Route 53 zone that gets the record; absent: you make the record where the name is kept. */
    hostedZone: z.strictObject({ id: like('Z0123456789ABC', /^Z[A-Z0-9]+$/), name: z.string() }).optional(),
  })
  .superRefine(({ name, hostedZone }, { addIssue }) => {
    if (hostedZone && !`.${name}`.endsWith(`.${hostedZone.name}`))
      addIssue({
        ...{ code: 'custom', path: ['hostedZone', 'name'], input: hostedZone.name },
        message: `the name of a zone above ${name}`,
      });
  });
export type Domain = z.infer<typeof Domain>;

/** Characters; every absolute address in a header begins with it, and headers have a bound (test/api/response-headers.test.ts). */
const maxPublicUrlLength = 512;

const isPublicUrl = (url: string): boolean =>
  url.length <= maxPublicUrlLength &&
  /^https:\/\/[^/?#@\s]+(?:\/[^/?#\s]+)*$/.test(url) &&
  [url, `${url}/`].includes(URL.parse(url)?.href ?? '');

/** What a table takes at most, and each of its indexes (DynamoDB developer guide, "Quotas", on-demand). */
const requestUnits = integer(1, 40_000);

const indexKeys = Object.keys(readFrom) as IndexKey[];

const shards = integer(1, 1_000);

const dollars = 'a number of dollars above 0';

/**
 * Everything that a deployment decides. Bounds that cap the bill stand together, with what they bound. (The largest body,
 * 16 384 bytes, is the contract's and not a setting: lib/max-body-bytes.ts.)
 */
export const Settings = z.strictObject({
  /** Throttle and time-out of each operation. */
  limits: Limits,
  /** The throttle of every method without a row there: 404, 405, preflights. */
  defaultThrottle: Throttle,
  /**
   * Request units per second of the table and of each index, beyond which DynamoDB throttles and callers see 503. Above
   * what all operations together can take at their rates, so that it never comes to that (test/api/request-units.test.ts).
   */
  maxRequestUnits: z.record(
    z.enum(['table', ...indexKeys]),
    z.strictObject({ read: requestUnits, write: requestUnits }),
  ),
  /**
   * Dollars that a month can cost at most, with every request running into its time-out (cdk/cost/worst-case-month.ts). Not
   * enforced on AWS: test/config/limits.test.ts fails beyond it, and `npm run cost` says so.
   */
  worstMonthCap: z.number(dollars).positive(dollars),
  /** Megabytes; a function's share of a CPU grows with it (Lambda developer guide, "Lambda quotas"). */
  functionMemory: integer(128, 10_240),
  /** The address of what stands before the stage, such as a CDN. Absent: callers are told the domain's, or else the gateway's own. */
  publicUrl: z
    .string()
    .refine(
      isPublicUrl,
      `the like of https://petstore.example.com/api: https, as a browser writes it, without a slash at its end, a query or a fragment, of at most ${maxPublicUrlLength} characters`,
    )
    .optional(),
  /** With it the gateway's own address is closed. */
  domain: Domain.optional(),
  logRetention: z.enum(RetentionDays),
  /** Needs the account's CloudWatch role for API Gateway (cdk/README.md), which this stack must not set for its neighbours. */
  accessLog: z.boolean(),
  /** Whether Lambda writes lines of its own for each invocation: duration, billed duration, memory, start. Ours has the duration as callers see it. */
  reportLines: z.boolean(),
  /** Who is told when somebody must act; absent: nobody, without charge. The address confirms its subscription first. */
  alarms: z.strictObject({ email: like('oncall@example.com', /^[^\s@]+@[^\s@]+\.[^\s@]+$/) }).optional(),
  /** Whether there is a page of graphs, which costs beyond the account's third. */
  dashboard: z.boolean(),
  /**
   * Shards of every index partition, of which lists read so many and writes fill so many. Never make either smaller
   * (lib/model/table/keys.ts), and raise `read` a deployment before `write`: functions do not switch together.
   */
  indexShards: z.strictObject({ read: shards, write: shards }).superRefine(({ read, write }, { addIssue }) => {
    const message = `at least as many as writes fill, ${write}`;
    if (read < write) addIssue({ code: 'custom', path: ['read'], message, input: read });
  }),
  /** Machine clients of the user pool and the scopes that their tokens may carry (API reference, CreateUserPoolClient: ClientName). */
  clients: z.record(like('shop', /^[\w\s+=,.@-]{1,128}$/), z.array(z.enum(scopes)).readonly()),
  /** Minutes for which an access token of the stage's own user pool is valid, as Cognito allows. */
  tokenLifetime: integer(5, 24 * 60),
  lifeCycle: z.record(z.enum(deprecatedIds), LifeCycle),
  /** Whether a deprecated operation answers 410 past its sunset. */
  enforceSunset: z.boolean(),
  /** Where the stage is; absent: where the credentials of whoever deploys lead. */
  account: like('123456789012, as text', /^\d{12}$/).optional(),
  region: like('eu-west-1', /^[a-z]{2,4}(-[a-z]+)+-\d$/).optional(),
  /** A user pool that exists and issues this stage's tokens, and where it does so; absent: the stage has its own. */
  userPoolArn: like(
    'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E',
    /^arn:aws[a-z-]*:cognito-idp:([a-z0-9-]+):\d{12}:userpool\/\1_[A-Za-z0-9]+$/,
  ).optional(),
  tokenUrl: like('https://auth.example.com/oauth2/token', /^https:\/\/[^\s/?#]+\/[^\s?#]+$/).optional(),
  /** Whether committed changes are told on an event bus. */
  events: z.boolean(),
  /**
   * The first part of every event's sequence. Raise it when another table takes the place of this one (one restored from a
   * backup counts its items' writes from an earlier state) and when the own one returns, and never lower it.
   */
  eventsGeneration: integer(1, maxGeneration),
  /** By name: lower-case letters, digits and hyphens. */
  webhooks: Webhooks,
  /**
   * A table that takes the place of the stack's own, such as one restored from a backup (`npm run restore-drill -- --keep`
   * prints it). Its settings are then nobody's but the operator's: the stack neither makes nor changes it. The own one
   * stays meanwhile, with all that it holds, and serves again once this is taken away (cdk/RUNBOOK.md, "To restore").
   */
  adoptedTable: AdoptedTable.optional(),
  /** Table, user pool and clients are protected from deletion and outlive the stack. */
  keepsData: z.boolean(),
  /** The stack cannot be deleted before somebody has taken this from it. */
  terminationProtection: z.boolean(),
});
export type Settings = Readonly<z.infer<typeof Settings>>;

const defaults: Settings = {
  limits,
  defaultThrottle: defaultThrottle,
  maxRequestUnits: {
    table: { read: 700, write: 230 },
    all: { read: 230, write: 25 },
    byState: { read: 180, write: 25 },
    byGroup: { read: 85, write: 25 },
    byGroupAndState: { read: 175, write: 25 },
  },
  worstMonthCap: 6_000,
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
    limits: uniformLimits({ rate: 10_000, burst: 5_000, timeout: 5 }),
    defaultThrottle: { rate: 10_000, burst: 5_000 },
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
export const listOfStages = `There are ${deployedStages.join(', ')} (cdk/config/settings.ts).`;

/** The dates of an operation that is deprecated. */
export const lifeCycleOf = ({ id }: RegisteredOperation, settings: Settings): LifeCycle | undefined => {
  const dates: Partial<Record<OperationId, LifeCycle>> = settings.lifeCycle;
  return dates[id];
};

/** The settings across which a rule holds are valid, each by itself. */
const areValid = (names: readonly (keyof Settings)[], settings: unknown): boolean =>
  z.object(Object.fromEntries(names.map(name => [name, Settings.shape[name]]))).safeParse(settings).success;

const withRules = (stage: string) =>
  settingRules.reduce(
    (schema, { across, findIssues }) =>
      schema.superRefine(
        (settings, { addIssue }) => {
          for (const { path, expected, given } of findIssues(settings, stage))
            addIssue({ code: 'custom', path, message: expected, input: given });
        },
        { when: ({ value }) => areValid(across, value) },
      ),
    Settings,
  );

/**
 * The settings of a stage. @param changes what differs from them
 * @throws when no stage has this name, with the list of those that can be deployed, and with every setting that is invalid
 */
export const settingsOf = (stage: string, changes: Partial<Settings> = {}): Settings => {
  if (!Object.hasOwn(stages, stage)) throw new SettingsError(`There is no stage "${stage}". ${listOfStages}`);
  const heading = `The settings of the stage "${stage}" are invalid (cdk/config/settings.ts, or -c on the command line):`;
  return validate(withRules(stage), { ...defaults, ...stages[stage], ...changes }, heading);
};
