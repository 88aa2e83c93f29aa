import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../environment.ts';
import { client } from './client.ts';

/**
 * Reads an item that does not exist, in the phase INIT, in which a function has a whole CPU:
 *
 *     INIT    a whole CPU                    imports; here, once: connect, sign, send, parse
 *     INVOKE  MB of memory / 1,769 of a CPU  the first request, on that connection, with code that is loaded and compiled
 *
 * (Lambda developer guide, "Lambda execution environment" and "Configure function memory"; "a full vCPU during init":
 * serverlessland.com.) No request depends on this read, so it is not retried, and no log line counts it.
 */
const warmUp = async (pk: string): Promise<void> => {
  const read = new GetCommand({ TableName: environment.tableName, Key: { pk, sk: 'WARM_UP' } });
  await client
    .send(read, { abortSignal: AbortSignal.timeout(environment.warmUpTimeout) })
    .catch(() => undefined);
};

const { warmUpKey } = environment;
if (warmUpKey) await warmUp(warmUpKey);
