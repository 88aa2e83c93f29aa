import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, StreamRecord } from 'aws-lambda';
import type { Item } from '../model/table/calls.ts';
import { eventsOf } from './changes.ts';
import { type CloudEvent, type Origin, toCloudEvent } from './cloud-event.ts';

export interface ItemChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The time of the commit. */
  readonly time: Date;
}

/** Undefined: the record does not have the ARN of a table's stream. */
export const tableOf = ({ eventSourceARN = '' }: DynamoDBRecord): string | undefined =>
  /:table\/([^/]+)/.exec(eventSourceARN)?.[1];

const itemOf = (image: StreamRecord['NewImage']) =>
  image && unmarshall(image as Parameters<typeof unmarshall>[0]);

/** @throws when an image cannot be read */
export const changeOf = ({ dynamodb = {} }: DynamoDBRecord): ItemChange => {
  const { OldImage, NewImage, ApproximateCreationDateTime: seconds = 0 } = dynamodb;
  return { before: itemOf(OldImage), after: itemOf(NewImage), time: new Date(seconds * 1000) };
};

/** @throws when the service does not make such a change */
export const eventsOfChange = ({ before, after, time }: ItemChange, origin: Origin): CloudEvent[] =>
  eventsOf(before, after).map(event => toCloudEvent(event, origin, time));
