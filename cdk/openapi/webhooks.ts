import { retryHours } from '../../lib/webhook-retries.ts';
import { text } from './to-schema.ts';

const header = (name: string, description: string, schema: object) => {
  return { name, in: 'header', required: true, description, schema };
};

/** The headers of Standard Webhooks 1.0. The texts are short, because every event type repeats them. The guide has the details. */
const signature = [
  header('webhook-id', 'The `id` of the event', text(128, '^[!-~]+$')),
  header('webhook-timestamp', 'Time of the attempt, Unix seconds', text(12, '^[0-9]+$')),
  header(
    'webhook-signature',
    'One or two signatures of Standard Webhooks 1.0, separated by a space',
    text(100, '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)?$'),
  ),
];

/** What the documentation of an event has because webhooks deliver it. */
export const delivery = {
  // The service authenticates with the signature, not with a token.
  security: [],
  parameters: signature,
  responses: {
    '2XX': { description: 'Received. Respond within 15 seconds, and process the event afterwards' },
    '410': { description: 'Not wanted: this event is not retried' },
    default: { description: `Retried for ${retryHours} hours, then dead-lettered` },
  },
};
