import { maxGeneration } from '../../lib/events/cloud-event.ts';
import { webhookFaults } from './check-webhooks.ts';
import type { Settings } from './settings.ts';

/** What a text of the settings or the context must look like; a wrong one would be noticed only in the middle of a deployment. */
const shapes = {
  account: { pattern: /^\d{12}$/, example: '123456789012' },
  region: { pattern: /^[a-z]{2,4}(-[a-z]+)+-\d$/, example: 'eu-west-1' },
  userPoolArn: {
    pattern: /^arn:aws[a-z-]*:cognito-idp:([a-z0-9-]+):\d{12}:userpool\/\1_[A-Za-z0-9]+$/,
    example: 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E',
  },
  tokenUrl: { pattern: /^https:\/\/[^\s/?#]+\/[^\s?#]+$/, example: 'https://auth.example.com/oauth2/token' },
} satisfies { readonly [Name in keyof Settings]?: { readonly pattern: RegExp; readonly example: string } };

/** What is wrong with a table that is to take the place of the stack's own. */
const adoptionFaults = ({ adoptedTable, eventsGeneration }: Settings): string[] => {
  if (!adoptedTable) return [];
  const { arn, streamArn, generation } = adoptedTable;
  const table = /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;
  return [
    ...(table.test(arn) && streamArn.startsWith(`${arn}/stream/`)
      ? []
      : [
          `adoptedTable is ${JSON.stringify(adoptedTable)}; expected the ARN of a table and that of its own stream: arn:aws:dynamodb:eu-west-1:123456789012:table/restored and …/stream/2026-11-21T10:00:00.000`,
        ]),
    ...(generation > 1 && generation === eventsGeneration
      ? []
      : [
          `adoptedTable.generation is ${generation} and eventsGeneration ${eventsGeneration}; expected the same, one higher than before: the items of another table count their writes anew, and receivers would drop what it tells as older than what they have`,
        ]),
  ];
};

const certificate = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[0-9a-f-]+$/;

const domainFaults = ({ domain, region }: Settings): string[] => {
  if (!domain) return [];
  const { name, certificateArn, hostedZone } = domain;
  const certified = certificate.exec(certificateArn);
  return [
    ...(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(name)
      ? []
      : [`domain.name is "${name}"; expected the like of pets.example.com`]),
    ...(certified
      ? []
      : [`domain.certificateArn is "${certificateArn}"; expected the like of arn:aws:acm:eu-west-1:…`]),
    ...(certified && region && certified[1] !== region
      ? [`domain.certificateArn is of ${certified[1]}; a regional API takes a certificate of its own region, ${region}`]
      : []),
    ...(hostedZone && !(/^Z[A-Z0-9]+$/.test(hostedZone.id) && `.${name}`.endsWith(`.${hostedZone.name}`))
      ? [
          `domain.hostedZone is ${hostedZone.id}, ${hostedZone.name}; expected the id (Z…) and the name of a zone above ${name}`,
        ]
      : []),
  ];
};

/** @throws naming every text that is malformed, and what it should look like */
export const checkSettings = (stage: string, settings: Settings): void => {
  const faults = Object.entries(shapes).flatMap(([name, { pattern, example }]) => {
    const value: unknown = settings[name as keyof typeof shapes];
    const fits = value === undefined || (typeof value === 'string' && pattern.test(value));
    return fits ? [] : [`${name} is ${JSON.stringify(value)}; expected the like of ${example}`];
  });
  if (settings.tokenUrl !== undefined && settings.userPoolArn === undefined)
    faults.push('tokenUrl is where a pool that exists issues tokens; name that pool, too: userPoolArn');
  // Or document and page would send callers to an address of nobody's for their tokens.
  if (settings.userPoolArn !== undefined && settings.tokenUrl === undefined)
    faults.push('userPoolArn names a pool that exists; say where it issues tokens, too: tokenUrl');
  const { eventsGeneration } = settings;
  if (!Number.isInteger(eventsGeneration) || eventsGeneration < 1 || eventsGeneration > maxGeneration)
    faults.push(`eventsGeneration is ${eventsGeneration}; expected an integer from 1 to ${maxGeneration}`);
  faults.push(...webhookFaults(stage, settings), ...domainFaults(settings));
  const { read, write } = settings.indexShards;
  if (![read, write].every(shards => Number.isInteger(shards) && shards >= 1) || read < write)
    faults.push(`indexShards are ${read} to read and ${write} to write; expected integers, at least as many to read`);
  const { alarms } = settings;
  if (alarms && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(alarms.email))
    faults.push(`alarms.email is ${JSON.stringify(alarms.email)}; expected the like of oncall@example.com`);
  const { tokenLifetime } = settings;
  // Cognito API reference, CreateUserPoolClient, AccessTokenValidity: 5 minutes to 1 day.
  if (!Number.isInteger(tokenLifetime) || tokenLifetime < 5 || tokenLifetime > 24 * 60)
    faults.push(`tokenLifetime is ${tokenLifetime}; expected whole minutes from 5 to ${24 * 60}`);
  faults.push(...adoptionFaults(settings));
  if (faults.length > 0) throw new Error(`Stage ${stage} has wrong settings.\n  ${faults.join('\n  ')}`);
};
