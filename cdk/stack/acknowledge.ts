import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export const noTraces = 'Traces are a setting of the stage: they cost money and contain addresses.';

/** Acknowledges cdk-nag findings of a construct and its children. Any other error fails the synthesis. */
export const acknowledge = (
  construct: IConstruct,
  reasons: Readonly<Record<string, string>>,
): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    const pack = rule.startsWith('Serverless') ? 'Serverless' : 'AwsSolutions';
    Validations.of(construct).acknowledge({ id: `${pack}::${rule}`, reason });
  }
};

export const acknowledgePublic = (method: IConstruct, reason: string): void =>
  acknowledge(method, { 'AwsSolutions-APIG4': reason, 'AwsSolutions-COG4': reason });
