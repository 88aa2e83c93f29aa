import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findApiAndClient } from '../../../cdk/commands/shared/api-options.ts';
import { type CloudFormation, startCloudFormation } from '../../support/cloud-formation.ts';

/** Cognito with one secret for each client. */
const calls: unknown[] = [];
const cognito = createServer(async (request, response) => {
  const input = (await json(request)) as { ClientId: string };
  calls.push([String(request.headers['x-amz-target']).split('.')[1], input]);
  response.end(JSON.stringify({ UserPoolClient: { ClientSecret: `secret of ${input.ClientId}` } }));
});

let cloudFormation: CloudFormation;
const outputs = {
  ...{ ApiUrl: 'https://api.example.com/', TokenUrl: 'https://auth.example.com/', UserPoolId: 'eu-west-1_Prod' },
  ...{ StaffClientId: 'id-staff', VerifyClientId: 'id-verify' },
};
beforeAll(async () => {
  const { VerifyClientId: _, StaffClientId: __, ...borrowed } = outputs;
  const template = { Resources: {} };
  cloudFormation = await startCloudFormation(
    new Map([
      ['petstore-prod', { template, outputs }],
      ['petstore-beta', { template, outputs: borrowed }],
    ]),
  );
  cognito.listen(0, '127.0.0.1');
  await once(cognito, 'listening');
  const { port } = cognito.address() as AddressInfo;
  const environment = {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${port}`,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  cloudFormation.stop();
  cognito.close();
});
beforeEach(() => void calls.splice(0));

const opened = expect.objectContaining({ name: 'prod', outputs });
const api = { url: outputs.ApiUrl, tokenUrl: outputs.TokenUrl, opened };

describe('the client that calls the API of a stage', () => {
  it.each(['staff', 'verify'] as const)('is %s by default, with its secret in Cognito', async name => {
    const client = `id-${name}`;
    expect(await findApiAndClient({ stage: 'prod' }, { defaultClient: name })).toEqual({
      ...api,
      client,
      secret: `secret of ${client}`,
    });
    expect(calls).toEqual([['DescribeUserPoolClient', { UserPoolId: 'eu-west-1_Prod', ClientId: client }]]);
  });

  it('is the client of the options, with their secret', async () => {
    const options = { stage: 'prod', client: 'mine', secret: 'known' };
    expect(await findApiAndClient(options)).toEqual({ ...api, client: 'mine', secret: 'known' });
    expect(calls).toEqual([]);
  });

  it('is a required option when the stage has no clients', async () => {
    await expect(findApiAndClient({ stage: 'beta' }, { defaultClient: 'verify' })).rejects.toThrow('Which client?');
    await expect(findApiAndClient({ url: 'https://api.example.com', client: 'mine' })).rejects.toThrow('Which client?');
    expect(calls).toEqual([]);
  });
});
