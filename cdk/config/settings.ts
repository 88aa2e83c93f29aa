import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { maxGeneration } from '../../lib/events/cloud-event.ts';
import { type IndexKey, indexes } from '../../lib/model/table/indexes.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { scopes } from '../../lib/scopes.ts';
import { Thresholds } from './alarms.ts';
import { defaultThrottle, Limits, limits, Throttle, uniformLimits } from './limits.ts';
import { clientIdOutput } from './scopes.ts';
import { integer, like, type Report, validate } from './validate.ts';
import * as webhooks from './webhooks.ts';

const date = z.iso.date('a date such as 2027-12-31');

/** In UTC: deprecated from the start of `deprecatedOn`, sunset at the end of `sunsetOn`. */
const LifeCycle = z.strictObject({ deprecatedOn: date, sunsetOn: date });
const deprecatedIds: string[] = allOperations
  .filter(({ deprecated }) => deprecated)
  .map(({ id }) => id);

const tableArn = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;

/** In the stage's account and region. */
const AdoptedTable = z.strictObject({
  arn: like('arn:aws:dynamodb:eu-west-1:123456789012:table/restored', tableArn),
  /** With old and new images. Only a stage without events needs no stream. */
  streamArn: z.string().optional(),
  /** Repeats `eventsGeneration`, so that two tables never have the same generation. */
  generation: integer(2, maxGeneration),
});

export const Domain = z.strictObject({
  /** Without a path. */
  name: like('pets.example.com', /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/),
  /** The ARN of a certificate for `name`, in the stage's region (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-regional-api-custom-domain-create.html). */
  certificateArn: like(
    'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd',
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
  ),
  /** The Route 53 zone for the record. Absent: create the record yourself. */
  hostedZone: z
    .strictObject({ id: like('Z0123456789ABC', /^Z[A-Z0-9]+$/), name: z.string() })
    .optional(),
});
export type Domain = z.infer<typeof Domain>;

/**
 * Characters, because the size of headers is limited, and some contain URLs with this prefix (test/api/response-headers.test.ts).
 */
const maxPublicUrlLength = 512;

const publicUrlExpected = `an https URL such as https://petstore.example.com/api, as a browser writes it, without a trailing slash, a query or a fragment, and with at most ${maxPublicUrlLength} characters`;

const isPublicUrl = (url: string): boolean =>
  url.length <= maxPublicUrlLength &&
  /^https:\/\/[^/?#@\s]+(?:\/[^/?#\s]+)*$/.test(url) &&
  [url, `${url}/`].includes(URL.parse(url)?.href ?? '');

/** The quota of a table and of each index (DynamoDB developer guide, "Quotas", on-demand). */
const requestUnits = integer(1, 40_000);

const indexKeys = [...new Set(indexes.map(({ key }): IndexKey => key))];

/** A shard takes 1,000 writes a second, so 40 shards reach an index's quota, `requestUnits`. A list reads every shard. */
const shards = integer(1, 40);

const dollars = 'a number of dollars above 0';

/** The settings that cap the bill come first. The maximum body size is part of the contract instead (lib/max-body-bytes.ts). */
export const Settings = z.strictObject({
  /** Throttle and timeout of each operation. */
  limits: Limits,
  /** Of all other methods: 404, 405, preflights. */
  defaultThrottle: Throttle,
  /**
   * Per second, for the table and each index. Callers whose requests DynamoDB throttles get 503. All operations together, at
   * their rates, need less (test/api/request-units.test.ts).
   */
  maxRequestUnits: z.record(
    z.enum(['table', ...indexKeys]),
    z.strictObject({ read: requestUnits, write: requestUnits }),
  ),
  /**
   * The most dollars of a month in which every request runs until its timeout (cdk/cost/worst-case-month.ts). Above it,
   * test/config/settings.test.ts and `npm run cost` fail; AWS does not enforce it.
   */
  worstMonthCap: z.number(dollars).positive(dollars),
  /**
   * Megabytes, for the functions of operations. CPU grows with memory (Lambda developer guide, "Lambda quotas"). New accounts
   * allow at most 3,008 (github.com/awslabs/genai-bedrock-agent-chatbot/issues/4).
   */
  functionMemory: integer(128, 10_240),
  /**
   * Whether functions that read single items call DynamoDB once while Lambda initializes them, which shortens the first request
   * of an environment (lib/model/table/warm-up.ts).
   */
  warmUp: z.boolean(),
  /**
   * The base URL of a proxy or CDN in front of the stage, which stays open to whoever knows its own URL (cdk/README.md, "Domains").
   * Absent: callers use `domain`, or else the gateway's own URL.
   */
  publicUrl: z.string().refine(isPublicUrl, publicUrlExpected).optional(),
  /** A domain closes the gateway's own URL: on a live stage, callers of that URL get 403 at once. */
  domain: Domain.optional(),
  /** Days. Logs contain ids of clients and users. */
  logRetention: z.enum(RetentionDays),
  /**
   * Whether API Gateway writes access logs, with a role that all APIs of a region share: the account stack sets it
   * (cdk/README.md, "The account stack"). Alarms count their lines, so `alarms` switches them on. Switching this setting off
   * deletes the logs.
   */
  accessLog: z.boolean(),
  /**
   * The most requests of one IP address in five minutes, with those for tokens of the stage's own pool; AWS WAF blocks others, at
   * the API with 429. An import at its default rate sends
   * 2,130. The bounds are those of AWS WAF (developer guide, "Rate-based rule high-level settings"), which costs money also while
   * idle. Absent: only the throttles limit a caller.
   */
  requestsPerAddress: integer(10, 2_000_000_000).optional(),
  /** Whether X-Ray records traces. It keeps them for 30 days, with the addresses of callers. */
  tracing: z.boolean(),
  /**
   * Where alarms go: the email address of a person, who must confirm the subscription, or an SNS topic of your own, such as a
   * pager's (cdk/README.md, "Receive alarms"). They need `accessLog`. Absent: no alarms.
   */
  alarms: z
    .strictObject({
      email: like('oncall@example.com', /^[^\s@]+@[^\s@]+\.[^\s@]+$/).optional(),
      topicArn: like(
        'arn:aws:sns:eu-west-1:123456789012:pager',
        /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
      ).optional(),
      thresholds: Thresholds.optional(),
    })
    .refine(({ email, topicArn }) => !email !== !topicArn, 'either an email or a topicArn')
    .optional(),
  /** What the emails of alarms link to. Absent: they name the file cdk/RUNBOOK.md. */
  runbookUrl: like('https://wiki.example.com/RUNBOOK.md', /^https:\/\/[^\s#]+$/).optional(),
  /** Three dashboards per account are free. */
  dashboard: z.boolean(),
  /**
   * The shards of every index partition, for lists and for writes. Never lower a number (lib/model/table/keys.ts). Raise `read`
   * one deployment before `write`, because a deployment does not update all functions at once.
   */
  indexShards: z.strictObject({ read: shards, write: shards }),
  /** The user pool's machine clients, with their scopes (API reference, CreateUserPoolClient: ClientName). */
  clients: z.record(like('shop', /^[\w\s+=,.@-]{1,128}$/), z.array(z.enum(scopes)).readonly()),
  /**
   * Minutes, for access tokens of the stage's own user pool; the bounds are Cognito's. A leaked token works until it expires or
   * `tokensValidFrom` rejects it. The tokens of three clients cost $0.21 a month with 24 hours, $0.84 with six, $5.02 with one.
   */
  tokenLifetime: integer(5, 24 * 60),
  /** Access tokens that were issued earlier get 401 (cdk/RUNBOOK.md, "A secret or a token leaked"). */
  tokensValidFrom: z.iso
    .datetime('a time such as 2026-11-21T14:05:00Z')
    .refine(
      text => Date.parse(text) <= Date.now(),
      'a time that is not in the future, because a later one rejects every token',
    )
    .optional(),
  /** The dates of each deprecated operation. */
  lifeCycle: z.record(z.enum(deprecatedIds), LifeCycle),
  /** Whether a deprecated operation returns 410 after its sunset. */
  enforceSunset: z.boolean(),
  /** Absent: the account of the credentials that deploy the stage. */
  account: like('123456789012, as text', /^\d{12}$/).optional(),
  /** Absent: the region of the credentials. Commands still need AWS_REGION. */
  region: like('eu-west-1', /^[a-z]{2,4}(-[a-z]+)+-\d$/).optional(),
  /** An existing user pool. Absent: the stage has its own pool. */
  userPoolArn: like(
    'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E',
    /^arn:aws[a-z-]*:cognito-idp:([a-z0-9-]+):\d{12}:userpool\/\1_[A-Za-z0-9]+$/,
  ).optional(),
  /** The token endpoint of that user pool. */
  tokenUrl: like(
    'https://auth.example.com/oauth2/token',
    /^https:\/\/[^\s/?#]+\/[^\s?#]+$/,
  ).optional(),
  /** Whether committed changes are published on an event bus. Switching it off deletes the bus and dead-letter queue. */
  events: z.boolean(),
  /**
   * The first part of every event's sequence, before the item's write count. Never lower it. Raise it when the stage adopts
   * another table or returns to its own, because that table can have lower write counts than published events.
   */
  eventsGeneration: integer(1, maxGeneration),
  ...webhooks.shape,
  /**
   * A table that the stage uses instead of its own, such as one restored from a backup; `npm run adopt` prints this setting. The
   * stack neither creates nor changes it. Remove this setting to use the stack's own table again, with all its data
   * (cdk/TASKS.md, "Undo an adopted table").
   */
  adoptedTable: AdoptedTable.optional(),
  /** Whether table, user pool and clients are protected from deletion, and remain when the stack is deleted. */
  keepsData: z.boolean(),
  /** Whether CloudFormation refuses to delete the stack. */
  terminationProtection: z.boolean(),
});
export type Settings = Readonly<z.infer<typeof Settings>>;

const defaults: Omit<Settings, 'accessLog'> = {
  limits,
  defaultThrottle,
  maxRequestUnits: {
    table: { read: 700, write: 270 },
    all: { read: 230, write: 25 },
    byState: { read: 180, write: 25 },
    byGroup: { read: 85, write: 25 },
    byGroupAndState: { read: 175, write: 25 },
    byPet: { read: 10, write: 10 },
    byPetAndState: { read: 10, write: 10 },
    byHold: { read: 10, write: 5 },
    byName: { read: 80, write: 12 },
  },
  worstMonthCap: 6_300,
  functionMemory: 1024,
  warmUp: true,
  logRetention: RetentionDays.ONE_MONTH,
  tracing: false,
  dashboard: false,
  indexShards: { read: 1, write: 1 },
  tokenLifetime: 6 * 60,
  // `npm run verify` uses `verify`, and for read-only runs `monitor`, which can neither write nor read the orders of others.
  // Pipelines have the secrets of these two, so a new secret of `staff` affects no pipeline.
  clients: {
    staff: scopes,
    shop: ['orders', 'inventory.read'],
    verify: ['catalog', 'inventory', 'orders'],
    monitor: ['orders.read'],
  },
  lifeCycle: { getPet: { deprecatedOn: '2026-11-01', sunsetOn: '2027-12-31' } },
  enforceSunset: false,
  events: true,
  eventsGeneration: 1,
  ...webhooks.defaults,
  keepsData: true,
  terminationProtection: false,
};

/** What differs from the defaults, also within `limits`. */
export type StageSettings = Partial<Omit<z.input<typeof Settings>, 'limits'>> & {
  readonly limits?: Partial<Limits>;
};

export type Stages = Readonly<Record<string, StageSettings>>;

/**
 * Local functions share the cores of your machine, so they have longer timeouts. They start at their first request, so `warmUp`
 * would save no time. `rival` shows that a client cannot access another client's orders.
 */
export const localStage: StageSettings = {
  limits: uniformLimits({ rate: 10_000, burst: 5_000, timeout: 5 }),
  defaultThrottle: { rate: 10_000, burst: 5_000 },
  warmUp: false,
  clients: { ...defaults.clients, rival: ['orders'] },
};

const check = (settings: Settings, stage: string, report: Report): void => {
  // Operators can change and delete tables with such names (operator-permissions.ts).
  if (/-(restored|drill)(-|$)/.test(stage))
    report('stage', 'a name without -restored and -drill', stage);
  if (stage === 'account') report('stage', 'another name: petstore-account is a stack', stage);
  webhooks.check(settings, stage, report);
  const {
    userPoolArn,
    tokenUrl,
    domain,
    region,
    adoptedTable,
    eventsGeneration,
    events,
    indexShards,
  } = settings;
  // With only one of them, the OpenAPI document and the documentation page would have the wrong token endpoint.
  if (tokenUrl && !userPoolArn)
    report('userPoolArn', 'the pool that issues tokens at tokenUrl', userPoolArn);
  if (userPoolArn && !tokenUrl)
    report('tokenUrl', 'the token endpoint of the pool userPoolArn', tokenUrl);
  // AWS WAF would count all requests for the address of the proxy.
  if (settings.requestsPerAddress && settings.publicUrl)
    report(
      'requestsPerAddress',
      'nothing beside publicUrl: limit addresses at the proxy',
      settings.requestsPerAddress,
    );
  if (settings.alarms && !settings.accessLog)
    report('accessLog', 'true, because alarms count its lines', settings.accessLog);
  if (indexShards.read < indexShards.write)
    report(
      'indexShards.read',
      `at least indexShards.write, ${indexShards.write}`,
      indexShards.read,
    );
  // A user pool may be in any region.
  const ofRegion = {
    'domain.certificateArn': domain?.certificateArn,
    'alarms.topicArn': settings.alarms?.topicArn,
    'adoptedTable.arn': adoptedTable?.arn,
  };
  for (const [name, arn] of Object.entries(ofRegion))
    if (region && arn && arn.split(':')[3] !== region)
      report(name, `the ARN of one in the stage's own region, ${region}`, arn);
  const outputs = new Map<string, string>();
  for (const [name, granted] of Object.entries(settings.clients)) {
    // Ids of other constructs in the pool. The CDK omits the first two from logical ids.
    if (/^(Resource|Default|Domain)$/.test(name))
      report(`clients.${name}`, 'a name other than Resource, Default, Domain', granted);
    const other = outputs.get(clientIdOutput(name));
    if (other)
      report(`clients.${name}`, `a name that differs from ${other} in letters or digits`, granted);
    outputs.set(clientIdOutput(name), name);
  }
  for (const [id, { deprecatedOn, sunsetOn }] of Object.entries(settings.lifeCycle))
    if (sunsetOn < deprecatedOn)
      report(
        `lifeCycle.${id}.sunsetOn`,
        `a day that is not before deprecatedOn, ${deprecatedOn}`,
        sunsetOn,
      );
  if (domain) {
    const { name, hostedZone } = domain;
    if (hostedZone && !`.${name}`.endsWith(`.${hostedZone.name}`))
      report('domain.hostedZone.name', `the name of a zone above ${name}`, hostedZone.name);
  }
  if (adoptedTable) {
    const { arn, streamArn, generation } = adoptedTable;
    const stream = `such as ${arn}/stream/2026-11-21T10:00:00.000`;
    // The write counts of two tables are unrelated, so receivers would drop events of the adopted table as older.
    if (generation !== eventsGeneration) {
      const expected = `the same number as eventsGeneration, ${eventsGeneration}. Raise both by one`;
      report('adoptedTable.generation', expected, generation);
    }
    if (streamArn ? !streamArn.startsWith(`${arn}/stream/`) : events)
      report('adoptedTable.streamArn', `the ARN of the table's own stream, ${stream}`, streamArn);
  }
};

/** @throws with all invalid settings; if there are none, with everything that `check` reports */
export const settingsOf = (stage: string, given: StageSettings = {}): Settings => {
  const heading = `The settings of the stage "${stage}" are invalid (cdk/stages.ts; defaults: cdk/config/settings.ts):`;
  const all = {
    ...defaults,
    accessLog: given.alarms !== undefined,
    ...given,
    limits: { ...defaults.limits, ...given.limits },
  };
  return validate(Settings, all, heading, (settings, report) => check(settings, stage, report));
};
