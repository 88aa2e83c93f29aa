import * as z from 'zod';
import { eventTypes } from '../../lib/events/event-types.ts';
import { integer, like, type Report } from './validate.ts';

/** The function's environment has no room for more webhooks (`maxBytes`). */
export const maxWebhooks = 20;

/** For all webhooks in their function's environment, which has 4 KB in all (Lambda developer guide, "Lambda quotas"). */
const maxBytes = 3_400;
/** The longest name of a queue (SQS developer guide, "Amazon SQS standard queue quotas"), with its quotes and separators in JSON. */
const queueNameBytes = 80 + 4;

/** Characters. Most servers accept longer URLs. */
const maxUrlLength = 1_000;

const urlExpected =
  'a URL such as https://partner.example.com/hook; on the stage local also plain http to this machine';

const isLoopback = (url: string) => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3})$/.test(hostname);
};

export const isReceiver = (url: string): boolean => {
  if (!URL.canParse(url) || url.length > maxUrlLength || /\s/.test(url)) return false;
  const { protocol, username, password, hash } = new URL(url);
  return !(username || password || hash) && (protocol === 'https:' || isLoopback(url));
};

/** A parameter looks like a secret by its name, or because its value is long. */
export const secretParameterOf = (url: string): string | undefined =>
  /[?&]([^=&]*(?:token|secret|key|sig|passw|auth|code)|[^=&]+(?==[\w+/.%-]{24,}))=/i.exec(url)?.[1];

const matchingTypes = (type: string): string[] => {
  const prefix = /^(petstore\..*)\*$/.exec(type)?.[1];
  return eventTypes.filter(name =>
    prefix === undefined ? name === type : name.startsWith(prefix),
  );
};

const typeExpected = 'a type of lib/events/event-types.ts, or a prefix such as petstore.order.*';

export const Webhook = z.strictObject({
  /** https. On the stage `local` also plain http to this machine. */
  url: z.string().refine(isReceiver, urlExpected),
  /** A star matches the rest of a type: `petstore.order.*`. */
  types: z
    .array(z.string().refine(type => matchingTypes(type).length > 0, typeExpected))
    .min(1, 'at least one type, such as petstore.order.*')
    .readonly(),
  /** Delivers only events of this client's orders: a name in `clients`, or with an existing user pool the client's id. */
  client: like('shop, or a client id of the pool', /^[\w+-]{1,128}$/).optional(),
  /**
   * The signing secret's name in Secrets Manager, not its ARN (API reference, CreateSecret: the characters of a name). The secret
   * is `whsec_` and the base64 of 24 to 64 bytes.
   */
  secret: like('petstore/partner, a name in Secrets Manager', /^[\w/+=.@-]{1,512}$/),
  /**
   * The most deliveries at a time. A receiver that takes 15 seconds gets `concurrency / 15` events a second. Lambda sets the
   * lower bound (developer guide, "Configuring maximum concurrency for Amazon SQS event sources"). At the upper bound, 20
   * webhooks use the default quota of an account, 1,000.
   */
  concurrency: integer(2, 50).default(2),
});
export type Webhook = z.infer<typeof Webhook>;

/** In the environment of the function (cdk/stack/webhooks.ts). */
const bytesOf = (name: string, { url, secret }: Webhook) =>
  Buffer.byteLength(JSON.stringify({ name, url, secret })) + queueNameBytes;

const Webhooks = z.record(z.string(), Webhook).superRefine(
  (webhooks, { addIssue }) => {
    const message = 'a name of lower-case letters, digits and hyphens, at most 32';
    for (const name of Object.keys(Object(webhooks)))
      if (!/^[a-z][a-z0-9-]{0,31}$/.test(name))
        addIssue({ code: 'custom', path: [name], message, input: name });
  },
  // Checks the names even if the webhooks have other issues.
  { when: () => true },
);

export const shape = {
  /** By names of lower-case letters, digits and hyphens. */
  webhooks: Webhooks,
};
export const defaults = { webhooks: {} };

/** Of the stage `local`: a webhook that gets every event. */
export const sentTo = (url: string) => ({
  webhooks: {
    local: { url, types: ['petstore.*'], secret: 'petstore/local', concurrency: 10 },
  },
});

interface OtherSettings {
  readonly webhooks: z.infer<typeof Webhooks>;
  readonly events: boolean;
  readonly clients: Readonly<Record<string, unknown>>;
  readonly userPoolArn?: string | undefined;
}

const expectedClient = (
  { client, types }: Webhook,
  { clients, userPoolArn }: OtherSettings,
): string | undefined => {
  if (client === undefined) return undefined;
  if (userPoolArn === undefined && !Object.hasOwn(clients, client))
    return `one of the clients of the settings: ${Object.keys(clients).join(', ')}`;
  const areOfOrders = types.flatMap(matchingTypes).some(type => type.startsWith('petstore.order.'));
  return areOfOrders ? undefined : 'to be absent, because types has no type of orders';
};

export const check = (settings: OtherSettings, stage: string, report: Report): void => {
  const { events } = settings;
  const webhooks = Object.entries(settings.webhooks);
  if (!events && webhooks.length > 0) report('events', 'true, because there are webhooks', events);
  if (webhooks.length > maxWebhooks) report('webhooks', `at most ${maxWebhooks}`, webhooks.length);
  const bytes = webhooks.reduce((sum, [name, webhook]) => sum + bytesOf(name, webhook), 0);
  const room = `at most ${maxBytes} bytes of names, URLs and secrets' names in the function's environment`;
  if (bytes > maxBytes) report('webhooks', room, bytes);
  for (const [name, webhook] of webhooks) {
    const expected = expectedClient(webhook, settings);
    if (expected) report(`webhooks.${name}.client`, expected, webhook.client);
    if (isLoopback(webhook.url) && stage !== 'local')
      report(`webhooks.${name}.url`, urlExpected, webhook.url);
  }
};

/**
 * The timeout is enough for a receiver (15 seconds, lib/webhooks/post.ts) and calls to Secrets Manager and SQS (three seconds
 * each).
 */
export const sender = {
  /** Megabytes. */
  memory: 256,
  /** Seconds. */
  timeout: 30,
} as const;

export const prices = {
  /** A request to an SQS standard queue, per 64 KB. */
  queueRequest: 0.4 / 1e6,
  secretMonth: 0.4,
  secretRequest: 0.05 / 10_000,
};

/** Of the lines of lib/webhooks/handle-queue.ts. */
export const queries = {
  sender: {
    // The line of an attempt has no outcome if a call to SQS failed.
    'Failed webhook attempts': `filter ispresent(message.attempt) and (not ispresent(message.outcome) or message.outcome != "delivered")
| fields @timestamp, message.webhook, message.eventId, message.attempt, message.outcome, message.status, message.error, message.ageSeconds, message.retryInSeconds
| sort @timestamp desc`,
    'Webhook attempts by outcome': `filter ispresent(message.outcome)
| stats count(*) as attempts, max(message.ageSeconds) as oldest, pct(message.durationMs, 99) as p99 by message.webhook, message.outcome, message.status
| sort attempts desc`,
  },
} as const;
