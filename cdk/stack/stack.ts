import { Annotations, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { operationIds } from '../../lib/operations/index.ts';
import { usesTable } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import type { Bundles } from '../synthesis/bundle/bundle.ts';
import { PetstoreAlarms } from './alarms.ts';
import { PetstoreApi } from './api.ts';
import { PetstoreDashboard } from './dashboard.ts';
import { addDomain } from './domain.ts';
import { PetstoreEvents } from './events.ts';
import { addOperationFunction } from './operation-function.ts';
import { addOutputs } from './outputs.ts';
import { addQueries } from './queries.ts';
import { addTable } from './table.ts';
import { addUserPool } from './user-pool.ts';
import { addWebAcl } from './web-acl.ts';
import { PetstoreWebhooks } from './webhooks.ts';

interface PetstoreStackProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly bundles: Bundles;
}

/**
 * The whole service. It changes nothing else in the account and by default costs nothing while idle. The name of the
 * event bus is derived from the stack (test/stack/frozen.test.ts).
 */
export class PetstoreStack extends Stack {
  readonly settings: Settings;

  constructor(scope: Construct, id: string, { stage, settings, bundles }: PetstoreStackProps) {
    const { account, region, terminationProtection } = settings;
    const env = { ...(account && { account }), ...(region && { region }) };
    super(scope, id, { description: `Petstore API, stage ${stage}`, env, terminationProtection });
    this.settings = settings;
    Tags.of(this).add('petstore:stage', stage);

    const { table, tables } = addTable(this, settings);
    const { userPool, tokenUrl, clientIdOf } = addUserPool(this, settings);
    const routes = operationIds.map(operationId => {
      const code = bundles.folderOf(operationId);
      return addOperationFunction(this, operationId, { code, table, tables, settings, tokenUrl });
    });
    const { api, accessLog } = new PetstoreApi(this, 'Api', { stage, settings, userPool, routes });

    if (settings.requestsPerAddress) addWebAcl(this, api, settings.requestsPerAddress);
    const [publisher, sender] = (['publishEvents', 'deliverWebhooks'] as const).map(bundles.folderOf);
    const events = settings.events
      ? new PetstoreEvents(this, 'Events', { stage, settings, table, code: publisher! })
      : undefined;
    const webhooks =
      events && Object.keys(settings.webhooks).length > 0
        ? new PetstoreWebhooks(this, 'Webhooks', { settings, bus: events.bus, clientIdOf, code: sender! })
        : undefined;
    addQueries(this, {
      operations: routes.map(({ logGroup }) => logGroup),
      publisher: events ? [events.publisher.logGroup] : [],
      sender: webhooks ? [webhooks.sender.logGroup] : [],
      accessLog: accessLog ? [accessLog] : [],
    });

    if (!settings.alarms && settings.keepsData && stage !== 'local')
      Annotations.of(this).addWarningV2(
        'petstore:noAlarms',
        `The stage "${stage}" keeps data and has no alarms. Set alarms: { email } in cdk/stages.ts.`,
      );
    if (settings.alarms)
      new PetstoreAlarms(this, 'Alarms', {
        email: settings.alarms.email,
        runbook: settings.runbookUrl ?? 'cdk/RUNBOOK.md',
        api,
        functions: routes.filter(({ operation }) => usesTable(operation.id)),
        accessLog,
        events,
        webhooks,
      });
    if (settings.dashboard)
      new PetstoreDashboard(this, 'Dashboard', { settings, api, table, events, webhooks, routes });

    const { domain } = settings;
    if (domain) addDomain(this, api, domain);
    const origin = domain ? `https://${domain.name}/` : api.url;
    const url = settings.publicUrl ? `${settings.publicUrl}/` : origin;
    addOutputs(this, {
      ApiUrl: [url, 'Base URL of the API'],
      ...(url !== origin && { OriginUrl: [origin, 'The origin for the proxy or CDN in front of the stage'] }),
      DocsUrl: [`${url}docs`, 'The page to read and try the API'],
      TableName: [table.tableName, 'The table'],
      IndexShards: [`${settings.indexShards.read}`, 'Shards of every index partition that reads query'],
      EventsGeneration: [`${settings.eventsGeneration}`, 'First part of the sequence of every event'],
    });
  }
}
