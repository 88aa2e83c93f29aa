import * as z from 'zod';
import { eventTypes } from '../../lib/events/event-types.ts';
import type { SettingIssue } from './setting-rules.ts';
import type { Settings } from './settings.ts';
import { integer, like } from './validate.ts';

/**
 * The dead-letter queue's policy names the rule of each, and has room for 8 192 bytes (SQS developer guide, "Amazon SQS
 * policy quotas"); an ARN takes at most 190 of them. (EventBridge takes 300 rules a bus, 3 000 connections an account.)
 */
export const maxWebhooks = 40;

/** The URLs that EventBridge accepts (CloudFormation reference, ApiDestination InvocationEndpoint), without `*`, a placeholder. */
const address = /^https:\/\/((%[0-9A-Fa-f]{2}|[-()_.!~';/?:@&=+$,A-Za-z0-9])+)$/;
const maxAddressLength = 2048;

const addressExpected =
  'the like of https://partner.example.com/hook, or on the stage local plain http to this machine';

const isLoopback = (url: string) => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3})$/.test(hostname);
};

const isAddress = (url: string): boolean => {
  if (!URL.canParse(url) || url.length > maxAddressLength) return false;
  const { username, password, hash } = new URL(url);
  return !(username || password || hash) && (address.test(url) || isLoopback(url));
};

/** The event types that match a type of a webhook. */
const typesOf = (type: string): string[] => {
  const prefix = /^(petstore\..*)\*$/.exec(type)?.[1];
  return Object.keys(eventTypes).filter(name => (prefix === undefined ? name === type : name.startsWith(prefix)));
};

const isOfOrders = (type: string) => type.startsWith('petstore.order.');

/** A partner's server that is sent events; how, is in cdk/stack/webhooks.ts. */
export const Webhook = z.strictObject({
  /** Where to: https, on the internet; on the stage `local`, plain http to this machine as well. */
  url: z.string().refine(isAddress, addressExpected),
  /** Which events: their types, or what types begin with and a star: `petstore.order.*`. */
  types: z
    .array(
      z
        .string()
        .refine(
          type => typesOf(type).length > 0,
          'a type of lib/events/event-types.ts, or the like of petstore.order.*',
        ),
    )
    .min(1, 'at least one, the like of petstore.order.*')
    .readonly(),
  /** Whose order events alone: a client of these settings, by its name; of a pool that was there before, by its id. */
  client: like('shop, or a client id of the pool', /^[\w+-]{1,128}$/).optional(),
  /**
   * The name, in Secrets Manager, of what every request carries as X-Webhook-Secret: the secret's whole text. An ARN is none
   * (API reference, CreateSecret: the characters of a name).
   */
  secret: like('petstore/partner, a name in Secrets Manager', /^[\w/+=.@-]{1,512}$/),
  /**
   * Requests a second at most. Far below what happens, events wait for longer than they are kept for. 300 is the quota of an
   * account without an increase (EventBridge user guide, "Amazon EventBridge quotas").
   */
  rate: integer(1, 300),
});
export type Webhook = z.infer<typeof Webhook>;

const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name of lower-case letters, digits and hyphens, at most 32');

export const Webhooks = z.record(name, Webhook).superRefine((webhooks, { addIssue }) => {
  const count = Object.keys(webhooks).length;
  if (count > maxWebhooks) addIssue({ code: 'custom', message: `at most ${maxWebhooks}`, input: count });
});

const clientExpected = ({ client, types }: Webhook, { clients, userPoolArn }: WebhookContext): string | undefined => {
  if (client === undefined) return undefined;
  if (userPoolArn === undefined && !Object.hasOwn(clients, client))
    return `one of the clients of the settings: ${Object.keys(clients).join(', ')}`;
  return types.flatMap(typesOf).some(isOfOrders) ? undefined : 'no client, as types name no event of orders';
};

type WebhookContext = Pick<Settings, 'webhooks' | 'events' | 'clients' | 'userPoolArn'>;

/** The issues of webhooks with other settings and the stage. */
export const webhookIssues = (settings: WebhookContext, stage: string): SettingIssue[] => {
  const webhooks = Object.entries(settings.webhooks);
  return [
    ...(webhooks.length > 0 && !settings.events
      ? [{ path: ['events'], expected: 'true, as webhooks are sent events', given: settings.events }]
      : []),
    ...webhooks.flatMap(([name, webhook]) => {
      const { url, client } = webhook;
      const expected = clientExpected(webhook, settings);
      return [
        ...(expected ? [{ path: ['webhooks', name, 'client'], expected, given: client }] : []),
        ...(isLoopback(url) && stage !== 'local'
          ? [{ path: ['webhooks', name, 'url'], expected: addressExpected, given: url }]
          : []),
      ];
    }),
  ];
};
