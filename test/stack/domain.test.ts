import { describe, expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';

const name = 'pets.example.com';
const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd';
const templateWith = async (more: object = {}) =>
  (await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, domain: { name, certificateArn, ...more } } }))
    .template;

describe('the domain of a stage', () => {
  it('is regional, accepts TLS 1.2 or later, and rejects requests with another name (STRICT)', async () => {
    const [[, domain] = []] = resourcesOf(await templateWith(), 'AWS::ApiGateway::DomainName');
    expect(domain).toMatchObject({
      DomainName: name,
      RegionalCertificateArn: certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
  });

  it('has the API at its root, and its target in an output', async () => {
    const template = await templateWith();
    const [domainId] = onlyResourceOf(template, 'AWS::ApiGateway::DomainName');
    const [, mapping] = onlyResourceOf(template, 'AWS::ApiGateway::BasePathMapping');
    expect(evaluate(mapping)).toEqual({
      DomainName: domainId,
      RestApiId: onlyResourceOf(template, 'AWS::ApiGateway::RestApi')[0],
      Stage: onlyResourceOf(template, 'AWS::ApiGateway::Stage')[0],
    });
    expect(template.Outputs!.DomainTarget).toEqual({
      Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
      Description: `The target of ${name}, a CNAME or an alias record`,
    });
  });

  it('closes the gateway’s own URL', async () => {
    const { template: without } = await synthesizeShared({ stage: 'prod', settings: withOwnTable });
    const isClosed = [await templateWith(), without].map(
      template => onlyResourceOf(template, 'AWS::ApiGateway::RestApi')[1].DisableExecuteApiEndpoint,
    );
    expect(isClosed).toEqual([true, undefined]);
  });

  it('is the origin in an output only if callers have another URL', async () => {
    const { Outputs } = await templateWith();
    expect(Outputs!.ApiUrl!.Value).toBe(`https://${name}/`);
    expect(Outputs).not.toHaveProperty('OriginUrl');
    const settings = { domain: { name, certificateArn }, publicUrl: 'https://shop.example.com/pets' };
    const { template: behind } = await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, ...settings } });
    expect([behind.Outputs!.ApiUrl!.Value, behind.Outputs!.OriginUrl!.Value]).toEqual([
      'https://shop.example.com/pets/',
      `https://${name}/`,
    ]);
  });

  it('has an alias record in a hosted zone, if the settings have one', async () => {
    expect(resourcesOf(await templateWith(), 'AWS::Route53::RecordSet')).toEqual([]);
    const template = await templateWith({ hostedZone: { id: 'Z0123', name: 'example.com' } });
    const [domainId] = onlyResourceOf(template, 'AWS::ApiGateway::DomainName');
    expect(evaluate(onlyResourceOf(template, 'AWS::Route53::RecordSet')[1])).toMatchObject({
      Name: `${name}.`,
      Type: 'A',
      HostedZoneId: 'Z0123',
      AliasTarget: { DNSName: `${domainId}.RegionalDomainName`, HostedZoneId: `${domainId}.RegionalHostedZoneId` },
    });
  });
});
