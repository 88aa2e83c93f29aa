import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventsOf } from './changes.ts';
import { type CloudEvent, type Origin, toCloudEvent } from './cloud-event.ts';

type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];

const itemOf = (image: Image) => image && unmarshall(image as Parameters<typeof unmarshall>[0]);

/** The events of one record of the table's stream. @throws when the record is not a change that the service makes */
export const eventsOfRecord = ({ dynamodb = {} }: DynamoDBRecord, origin: Origin): CloudEvent[] => {
  const { OldImage, NewImage, ApproximateCreationDateTime: seconds = 0 } = dynamodb;
  const time = new Date(seconds * 1000);
  return eventsOf(itemOf(OldImage), itemOf(NewImage)).map(event => toCloudEvent(event, origin, time));
};
