import { setTimeout as sleep } from 'node:timers/promises';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import type { DynamoDbProxy } from './dynamodb-proxy.ts';

/**
 * A function gives up a call after a second. Where a machine stands still for as long, or an engine does (Java's now and
 * then, for many), calls are given up that no test disturbed, and a 503, "outcome unknown" or one call more than usual
 * is right. A test that fails then is run again, once the engine answers. No defect hides here: one that gives calls up
 * does so again.
 */
const words = 'functions gave up calls that nobody had disturbed: the machine or the engine stood still';

/** For Vitest's configuration. */
export const afterStandstill = { count: 3, delay: 5_000, condition: new RegExp(words) };

/** How long an engine may take to come to itself, in milliseconds. */
const patience = 170_000;
/** So fast is an answer of one that has, and so often in a row. */
const fast = 300;
const often = 5;

/** Waits until transactions, which wait for each other, are answered as fast as ever. This one writes nothing. */
const answersAgain = async (endpoint: string, tableName: string): Promise<void> => {
  const client = connect(endpoint);
  const key = { pk: { S: 'NOTHING' }, sk: { S: 'NOTHING' } };
  const check = { TableName: tableName, Key: key, ConditionExpression: 'attribute_not_exists(pk)' };
  const until = Date.now() + patience;
  for (let inARow = 0; inARow < often && Date.now() < until; ) {
    const startedAt = Date.now();
    await client
      .send(new TransactWriteItemsCommand({ TransactItems: [{ ConditionCheck: check }] }))
      .catch(() => sleep(fast));
    inARow = Date.now() - startedAt < fast ? inARow + 1 : 0;
    await sleep(100);
  }
  client.destroy();
};

/** Says of a test that failed when it has to be run again, and runs none while the engine still stands. */
export const watchStandstills = (
  petstore: () => { readonly proxy: DynamoDbProxy; readonly tableName: string },
  endpoint: string,
): void => {
  let before = 0;
  let stood = false;
  beforeEach(async () => {
    if (stood) await answersAgain(endpoint, petstore().tableName);
    stood = false;
    before = petstore().proxy.abandoned.length;
  }, patience + 10_000);
  afterEach(({ task }) => {
    stood = task.result?.state === 'fail' && petstore().proxy.abandoned.length > before;
    if (stood) throw new Error(words);
  });
};
