import { isCommercial, regionsWithoutDomains } from './regions.ts';
import type { Settings } from './settings.ts';
import { webhookIssues } from './webhooks.ts';

/** A setting that is valid alone, but not with the others. */
export interface SettingIssue {
  readonly path: string[];
  readonly expected: string;
  readonly given: unknown;
}

interface SettingRule {
  readonly across: readonly (keyof Settings)[];
  readonly findIssues: (settings: Settings, stage: string) => readonly SettingIssue[];
}

/** A rule gets only the settings that it names, and runs if each of them is valid. */
const rule = <Name extends keyof Settings>(
  across: readonly Name[],
  findIssues: (settings: Pick<Settings, Name>, stage: string) => readonly SettingIssue[],
): SettingRule => ({ across, findIssues });

/** The rules between settings. */
export const settingRules: readonly SettingRule[] = [
  // Without both, document and page would have the wrong token endpoint.
  rule(['userPoolArn', 'tokenUrl'], ({ userPoolArn, tokenUrl }) => {
    if (tokenUrl !== undefined && userPoolArn === undefined)
      return [{ path: ['userPoolArn'], expected: 'the pool that issues tokens at tokenUrl', given: userPoolArn }];
    if (userPoolArn !== undefined && tokenUrl === undefined)
      return [{ path: ['tokenUrl'], expected: 'the token endpoint of the pool userPoolArn', given: tokenUrl }];
    return [];
  }),
  rule(['region'], ({ region }) =>
    !region || isCommercial(region)
      ? []
      : [
          {
            path: ['region'],
            expected: 'a commercial region, because the service runs in no other partition',
            given: region,
          },
        ],
  ),
  rule(['domain', 'region'], ({ domain, region }) => {
    if (!domain || !region || !regionsWithoutDomains.includes(region)) return [];
    const expected = `to be absent, because CloudFormation lacks EndpointAccessMode in ${region} (cdk/config/regions.ts)`;
    return [{ path: ['domain'], expected, given: domain.name }];
  }),
  rule(['domain', 'region'], ({ domain, region }) => {
    if (!domain || !region || domain.certificateArn.split(':')[3] === region) return [];
    const expected = `a certificate of the API's own region, ${region}`;
    return [{ path: ['domain', 'certificateArn'], expected, given: domain.certificateArn }];
  }),
  // The write counts of another table are unrelated: receivers would drop its events as older than those they have.
  rule(['adoptedTable', 'eventsGeneration'], ({ adoptedTable, eventsGeneration }) => {
    if (!adoptedTable || adoptedTable.generation === eventsGeneration) return [];
    const expected = `the same number as eventsGeneration, ${eventsGeneration}. Raise both by one`;
    return [{ path: ['adoptedTable', 'generation'], expected, given: adoptedTable.generation }];
  }),
  rule(['adoptedTable', 'events'], ({ adoptedTable, events }) => {
    if (!adoptedTable || adoptedTable.streamArn || !events) return [];
    const expected = `the ARN of the table's stream, such as ${adoptedTable.arn}/stream/2026-11-21T10:00:00.000, because \`events\` is on`;
    return [{ path: ['adoptedTable', 'streamArn'], expected, given: undefined }];
  }),
  rule(['webhooks', 'events', 'clients', 'userPoolArn'], webhookIssues),
];
