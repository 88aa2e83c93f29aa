import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag on a construct and what is below it, each with its reason. An error that is not accepted fails the synthesis. */
export const acknowledge = (construct: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  for (const [rule, reason] of Object.entries(reasons)) {
    const pack = rule.startsWith('Serverless') ? 'Serverless' : 'AwsSolutions';
    Validations.of(construct).acknowledge({ id: `${pack}::${rule}`, reason });
  }
};

/** For a method that anyone may call. */
export const acknowledgePublic = (method: IConstruct, reason: string): void =>
  acknowledge(method, { 'AwsSolutions-APIG4': reason, 'AwsSolutions-COG4': reason });
