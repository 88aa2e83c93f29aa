import { localCredentials, localRegion } from '../../aws/aws-client.ts';
import type { FunctionDefinition } from '../../synthesis/api.ts';
import { onlyResourceOf, type Template } from '../../synthesis/template.ts';
import { tokenPath } from '../auth/tokens.ts';
import { createFunction, type LambdaFunction } from './lambda-function.ts';

interface FunctionsOptions {
  readonly endpoint: string;
  readonly tableName: string;
  readonly localAddresses: (
    environment: Readonly<Record<string, string>>,
  ) => Record<string, string>;
  readonly environmentOf: (definition: FunctionDefinition) => Record<string, string>;
  readonly log: (text: string, functionId: string) => void;
}

export const createFunctions = (
  functions: ReadonlyMap<string, FunctionDefinition>,
  template: Template,
  { endpoint, tableName, localAddresses, environmentOf, log }: FunctionsOptions,
) => {
  const [tableId] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  // Logical ids stand for physical names, except for the table.
  const physical = (value: string) => (value === tableId ? tableName : value);
  const created = new Map<string, LambdaFunction>(
    [...functions].map(([id, definition]) => {
      const variables = Object.entries(definition.environment).map(([name, value]) => [
        name,
        physical(value),
      ]);
      const local = {
        ...Object.fromEntries(variables),
        ...localAddresses(definition.environment),
        AWS_REGION: localRegion,
        AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
        DYNAMODB_ENDPOINT: endpoint,
        ...('TOKEN_URL' in definition.environment && { TOKEN_URL: tokenPath }),
      };
      const environment = { ...local, ...environmentOf({ ...definition, environment: local }) };
      return [id, createFunction({ ...definition, environment }, text => log(text, id))];
    }),
  );
  const all = [...created.values()];
  return {
    byId: (id: string): LambdaFunction => created.get(id)!,
    reload: (folders: ReadonlySet<string>): void => {
      for (const { definition, reload } of all) if (folders.has(definition.code)) reload();
    },
    stop: () => Promise.all(all.map(({ stop }) => stop())),
  };
};
