import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { clientOptions } from '../aws/client-options.ts';
import { environment } from '../environment.ts';
import { busOf } from './bus.ts';

export const eventBridge = new EventBridgeClient({
  ...clientOptions,
  endpoint: environment.eventsEndpoint,
});

export const bus = busOf(eventBridge, environment.eventBus);
