import type { Settings } from '../../cdk/config/settings.ts';
import * as webhooks from '../webhooks/settings.ts';

const region = 'eu-west-1';
const certificateArn = `arn:aws:acm:${region}:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef`;
const tableArn = `arn:aws:dynamodb:${region}:123456789012:table/petstore-prod-restored`;

/** No value is the default. */
export const everything = {
  account: '123456789012',
  region,
  domain: {
    name: 'pets.example.com',
    certificateArn,
    hostedZone: { id: 'Z0123', name: 'example.com' },
  },
  accessLog: true,
  requestsPerAddress: 2_400,
  tracing: true,
  alarms: { email: 'oncall@example.com' },
  runbookUrl: 'https://wiki.example.com/RUNBOOK.md',
  dashboard: true,
  functionMemory: 512,
  logRetention: 7,
  eventsGeneration: 2,
  indexShards: { read: 4, write: 2 },
  enforceSunset: true,
  tokenLifetime: 60,
  tokensValidFrom: '2026-11-01T00:00:00Z',
  ...webhooks.everything,
} satisfies Partial<Settings>;

/** No events, the user pool of another stack, a proxy in front, and a domain without a hosted zone. */
export const least = {
  events: false,
  userPoolArn: `arn:aws:cognito-idp:${region}:123456789012:userpool/${region}_Ab12Cd34E`,
  tokenUrl: 'https://auth.example.com/oauth2/token',
  publicUrl: 'https://shop.example.com/pets',
  domain: { name: 'pets.example.com', certificateArn },
} satisfies Partial<Settings>;

export const adopted = {
  adoptedTable: {
    arn: tableArn,
    streamArn: `${tableArn}/stream/2026-11-21T10:00:00.000`,
    generation: 2,
  },
  eventsGeneration: 2,
} satisfies Partial<Settings>;
