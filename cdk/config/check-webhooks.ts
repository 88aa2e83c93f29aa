import { eventTypes } from '../../lib/events/event-types.ts';
import type { Settings, Webhook } from './settings.ts';

/**
 * The dead-letter queue's policy names the rule of each, and has room for 8 192 bytes (SQS developer guide, "Amazon SQS
 * policy quotas"); an ARN takes at most 190 of them. (EventBridge takes 300 rules a bus, 3 000 connections an account.)
 */
export const mostWebhooks = 40;

/** What EventBridge takes as an address (CloudFormation reference, ApiDestination InvocationEndpoint), without `*`, which it would fill in. */
const address = /^https:\/\/((%[0-9A-Fa-f]{2}|[-()_.!~';/?:@&=+$,A-Za-z0-9])+)$/;
const longestAddress = 2048;

/** Requests a second; the quota of an account that has asked for no more (EventBridge user guide, "Amazon EventBridge quotas"). */
const mostRequests = 300;

const isLoopback = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && /^(localhost|127(\.\d+){3})$/.test(hostname);

const isAddress = (url: string, stage: string): boolean => {
  if (!URL.canParse(url) || url.length > longestAddress) return false;
  const parsed = new URL(url);
  if (parsed.username || parsed.password || parsed.hash) return false;
  return address.test(url) || (stage === 'local' && isLoopback(parsed));
};

/** What a type of the settings stands for. */
const typesOf = (type: string): string[] => {
  const prefix = /^(petstore\..*)\*$/.exec(type)?.[1];
  return Object.keys(eventTypes).filter(name => (prefix === undefined ? name === type : name.startsWith(prefix)));
};

const isOfOrders = (type: string) => type.startsWith('petstore.order.');

const clientFault = ({ client, types }: Webhook, { userPoolArn, clients }: Settings): string | undefined => {
  if (client === undefined) return undefined;
  if (userPoolArn === undefined && !Object.hasOwn(clients, client))
    return `client is ${JSON.stringify(client)}; expected one of the settings: ${Object.keys(clients).join(', ')}`;
  if (!/^[\w+-]{1,128}$/.test(client)) return `client is ${JSON.stringify(client)}; expected a client id of the pool`;
  if (!types.flatMap(typesOf).some(isOfOrders))
    return 'types name no order event, and a client is told of nothing else';
  return undefined;
};

const faultsOf = (webhook: Webhook, stage: string, settings: Settings): string[] => {
  const { url, types, secret, rate } = webhook;
  const local = stage === 'local' ? ', or plain http to this machine' : '';
  return [
    isAddress(url, stage)
      ? undefined
      : `url is ${JSON.stringify(url)}; expected the like of https://partner.example.com/hook${local}`,
    types.length === 0 ? 'types are none; expected the like of petstore.order.*' : undefined,
    ...types
      .filter(type => typesOf(type).length === 0)
      .map(
        type =>
          `types has ${JSON.stringify(type)}; expected a type of lib/events/event-types.ts, or the like of petstore.order.*`,
      ),
    clientFault(webhook, settings),
    // What Secrets Manager allows in a name; an ARN is none.
    /^[\w/+=.@-]{1,512}$/.test(secret)
      ? undefined
      : `secret is ${JSON.stringify(secret)}; expected a name in Secrets Manager, the like of petstore/partner`,
    Number.isInteger(rate) && rate >= 1 && rate <= mostRequests
      ? undefined
      : `rate is ${rate}; expected an integer from 1 to ${mostRequests}`,
  ].filter(fault => fault !== undefined);
};

/** What is wrong with the webhooks of a stage, each fault with its place. */
export const webhookFaults = (stage: string, settings: Settings): string[] => {
  const webhooks = Object.entries(settings.webhooks);
  const faults = webhooks.flatMap(([name, webhook]) =>
    faultsOf(webhook, stage, settings).map(fault => `webhooks.${name}.${fault}`),
  );
  for (const [name] of webhooks)
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(name))
      faults.push(
        `webhooks has ${JSON.stringify(name)}; expected a name of lower-case letters, digits and hyphens, at most 32`,
      );
  if (webhooks.length > mostWebhooks) faults.push(`webhooks are ${webhooks.length}; expected at most ${mostWebhooks}`);
  if (webhooks.length > 0 && !settings.events) faults.push('webhooks are sent events, and events is off');
  return faults;
};
