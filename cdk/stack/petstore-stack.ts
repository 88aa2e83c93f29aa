import { CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { operationIds, operations } from '../../lib/operations/index.ts';
import type { Bundles } from '../bundle/bundle.ts';
import { permissions } from '../permissions.ts';
import type { Settings } from '../settings.ts';
import { OperationFunction } from './operation-function.ts';
import { PetstoreApi } from './petstore-api.ts';
import { PetstoreEvents } from './petstore-events.ts';
import { PetstoreTable } from './petstore-table.ts';
import { PetstoreUserPool } from './petstore-user-pool.ts';
import { PetstoreWebhooks } from './petstore-webhooks.ts';

interface PetstoreStackProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly bundles: Bundles;
}

/** The whole service. Nothing in it has a fixed physical name, reaches beyond itself in the account, or costs while idle. */
export class PetstoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, settings, bundles }: PetstoreStackProps) {
    const { account, region, terminationProtection } = settings;
    const env = { ...(account && { account }), ...(region && { region }) };
    super(scope, id, { description: `Petstore API, stage ${stage}`, env, terminationProtection });
    Tags.of(this).add('petstore:stage', stage);

    const { table } = new PetstoreTable(this, 'Table', settings);
    const { userPool, tokenUrl, clientIdOf } = new PetstoreUserPool(this, 'Tokens', settings);
    const routes = operationIds.map(operationId => {
      const operation = operations[operationId];
      const code = bundles.folderOf(operationId);
      const limit = settings.limits[operationId];
      const props = { operation, code, table, permissions: permissions[operationId], limit, settings, tokenUrl };
      return { operation, limit, function: new OperationFunction(this, operationId, props).function };
    });
    const { api } = new PetstoreApi(this, 'Api', { stage, settings, userPool, routes });

    if (settings.events) {
      const code = bundles.folderOf('publishEvents');
      const { bus } = new PetstoreEvents(this, 'Events', { stage, settings, table, code });
      const { webhooks } = settings;
      if (Object.keys(webhooks).length > 0) new PetstoreWebhooks(this, 'Webhooks', { webhooks, bus, clientIdOf });
    }

    new CfnOutput(this, 'Url', { value: api.url, description: 'Base address of the API' });
    new CfnOutput(this, 'Docs', { value: `${api.url}docs`, description: 'The page to read and try the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'The table' });
  }
}
