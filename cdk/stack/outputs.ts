import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export const addOutputs = (
  construct: IConstruct,
  outputs: Readonly<Record<string, readonly [value: string, description?: string]>>,
): void => {
  for (const [name, [value, description]] of Object.entries(outputs))
    new CfnOutput(Stack.of(construct), name, { value, ...(description && { description }) });
};
