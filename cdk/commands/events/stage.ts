import type { EventBridgeClientConfig } from '@aws-sdk/client-eventbridge';
import { type Settings, settingsOf } from '../../config/settings.ts';
import { WrongUse } from '../shared/command.ts';
import { describedAt, localClient, refuseBeside } from '../shared/here.ts';

/** Whose events are told, and where to. */
export interface Stage {
  /** The events' own `source`. */
  readonly source: string;
  readonly generation: number;
  readonly bus: string;
  /** Of every client of the SDK; empty is what AWS's own tools would use. */
  readonly client: Pick<EventBridgeClientConfig, 'region' | 'credentials'>;
  /** Where the bus is; absent: AWS's. */
  readonly eventsEndpoint?: string;
  /** The same of the table. */
  readonly tableEndpoint?: string;
  readonly table?: string;
  /** Whether a table of this name is the stage's present one. */
  readonly owns: (table: string) => boolean;
  /** The queue of kept records. */
  readonly queue?: string;
}

/** Options by which the commands name a stage. */
export const stageOptions = {
  stage: { type: 'string' },
  bus: { type: 'string' },
  generation: { type: 'string' },
  region: { type: 'string' },
  local: { type: 'string' },
} as const;
export type StageOptions = Partial<Record<keyof typeof stageOptions, string>>;

export const stageUsage = `  --stage NAME     the stage: prod, beta, dev (its events' source, and their generation as cdk/config/settings.ts has it)
  --bus NAME       its bus: the stack's output EventBusName
  --generation N   the generation, where cdk/config/settings.ts of this checkout is not the deployed one's
  --region REGION  where it is (default: AWS_REGION)
  --local URL      instead of these: a server of this machine, such as http://127.0.0.1:3000, which knows them all`;

/**
 * Which table is a stage's present one: the one that is named, else the one that it has adopted, else by its name, which begins
 * with those of stack and resource (CloudFormation user guide, "Name type").
 */
export const tableOf =
  (stage: string, { adoptedTable }: Pick<Settings, 'adoptedTable'>, named?: string) =>
  (table: string): boolean => {
    const exactly = named ?? adoptedTable?.arn.split('/').at(-1);
    return exactly === undefined ? table.startsWith(`petstore-${stage}-Table`) : table === exactly;
  };

const localStage = async (url: string): Promise<Stage> => {
  const known = await describedAt(url);
  return {
    source: known.EVENT_SOURCE!,
    generation: Number(known.EVENTS_GENERATION),
    bus: known.EVENT_BUS!,
    client: localClient,
    eventsEndpoint: known.EVENTS_ENDPOINT!,
    tableEndpoint: known.DYNAMODB_ENDPOINT!,
    table: known.TABLE_NAME!,
    owns: table => table === known.TABLE_NAME,
    queue: known.DEAD_LETTER_QUEUE_URL!,
  };
};

/** @param table the stage's present one, where the settings do not say it @throws {WrongUse} */
export const stageOf = async (
  { stage, bus, generation, region, local }: StageOptions,
  table?: string,
): Promise<Stage> => {
  if (local !== undefined) {
    refuseBeside(stage, bus, generation, region, table);
    return localStage(local);
  }
  if (!stage || !bus) throw new WrongUse('Which stage? --stage NAME --bus NAME, or --local URL');
  if (generation !== undefined && !/^[1-9]\d{0,3}$/.test(generation))
    throw new WrongUse(`--generation ${generation} is not a number from 1 to 9999.`);
  const settings = settingsOf(stage);
  return {
    source: `/petstore/${stage}`,
    generation: generation ? Number(generation) : settings.eventsGeneration,
    bus,
    owns: tableOf(stage, settings, table),
    client: region ? { region } : {},
  };
};
