import { Annotations, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { operationIds } from '../../lib/operations/index.ts';
import type { Bundles } from '../bundle/bundle.ts';
import * as page from '../config/page.ts';
import type { Settings } from '../config/settings.ts';
import { addAlarms } from './alarms.ts';
import { addApi } from './api.ts';
import { addDashboard } from './dashboard.ts';
import { addDomain } from './domain.ts';
import { addEvents } from './events.ts';
import { addOperationFunction } from './operation-function.ts';
import { addOutputs } from './outputs.ts';
import type { LogGroups } from './part.ts';
import { addQueries } from './queries.ts';
import { addTable } from './table.ts';
import { addUserPool } from './user-pool.ts';
import { addWebAcl } from './web-acl.ts';
import { addWebhooks } from './webhooks.ts';

interface PetstoreStackProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly bundles: Bundles;
}

/**
 * Changes nothing else in the account, and costs nothing while idle with the default settings. The event bus has the name of the
 * stack (test/stack/frozen.test.ts).
 */
export class PetstoreStack extends Stack {
  readonly settings: Settings;

  constructor(scope: Construct, id: string, { stage, settings, bundles }: PetstoreStackProps) {
    const { account, region, terminationProtection } = settings;
    const env = { ...(account && { account }), ...(region && { region }) };
    super(scope, id, { description: `Petstore API, stage ${stage}`, env, terminationProtection });
    this.settings = settings;
    Tags.of(this).add('petstore-stage', stage);

    const { table, tables } = addTable(this, settings);
    const pool = addUserPool(this, settings);
    const { userPool, tokenUrl } = pool;
    const routes = operationIds.map(operationId => {
      const code = bundles.folderOf(operationId);
      return addOperationFunction(this, operationId, { code, table, tables, settings, tokenUrl });
    });
    const { api, accessLog } = addApi(this, { stage, settings, userPool, routes });
    const ownPool = settings.userPoolArn ? undefined : userPool;
    if (settings.requestsPerAddress) addWebAcl(this, api, settings.requestsPerAddress, ownPool);
    const events = addEvents(this, { stage, settings, table, bundles });
    const parts = [
      events?.part,
      addWebhooks(this, { settings, events, bundles, clientIdOf: pool.clientIdOf }),
    ].filter(part => part !== undefined);
    const logGroups: LogGroups = {
      operations: routes.map(({ logGroup }) => logGroup),
      ...Object.assign({}, ...parts.map(part => part.logGroups)),
    };
    addQueries(this, {
      ...logGroups,
      functions: Object.values(logGroups).flat(),
      accessLog: accessLog ? [accessLog] : [],
    });

    const monitored = { stage, settings, api, table, routes, accessLog, parts };
    if (settings.alarms) addAlarms(this, settings.alarms, monitored);
    else if (settings.keepsData && stage !== 'local')
      Annotations.of(this).addWarningV2(
        'petstore:noAlarms',
        `The stage "${stage}" keeps data and has no alarms. Set alarms: { email } or { topicArn } in cdk/stages.ts.`,
      );
    if (settings.alarms && !settings.runbookUrl && stage !== 'local')
      Annotations.of(this).addWarningV2(
        'petstore:noRunbookUrl',
        `The emails of the alarms of "${stage}" link to cdk/RUNBOOK.md, which a phone cannot open. Set runbookUrl in cdk/stages.ts.`,
      );
    if (settings.dashboard) addDashboard(this, monitored);

    const { domain } = settings;
    if (domain) addDomain(this, api, domain);
    const origin = domain ? `https://${domain.name}/` : api.url;
    const url = settings.publicUrl ? `${settings.publicUrl}/` : origin;
    addOutputs(this, {
      ApiUrl: [url, 'Base URL of the API'],
      ...(url !== origin && {
        OriginUrl: [origin, 'The origin for the proxy or CDN in front of the stage'],
      }),
      ...page.outputs(url),
      TableName: [table.tableName, 'The table'],
      IndexShards: [
        `${settings.indexShards.read}`,
        'Shards of every index partition that reads query',
      ],
      EventsGeneration: [
        `${settings.eventsGeneration}`,
        'First part of the sequence of every event',
      ],
    });
  }
}
