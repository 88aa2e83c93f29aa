import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Domain } from '../config/settings.ts';
import { addOutputs } from './outputs.ts';

/**
 * The domain has the TLS policy of the API, as API Gateway recommends
 * (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-update.html). The stack creates neither the
 * certificate nor the zone.
 */
export const addDomain = (
  stack: Construct,
  api: RestApi,
  { name, certificateArn, hostedZone }: Domain,
): void => {
  const scope = new Construct(stack, 'Domain');
  const domain = new DomainName(scope, 'Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
    endpointAccessMode: EndpointAccessMode.STRICT,
    mapping: api,
  });
  if (hostedZone) {
    const attributes = { hostedZoneId: hostedZone.id, zoneName: hostedZone.name };
    const zone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', attributes);
    new ARecord(scope, 'Record', {
      zone,
      // The final dot makes the name absolute.
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
    });
  }
  const record = hostedZone ? ', which the stack has created' : '';
  const description = `The target of ${name}, a CNAME or an alias record${record}`;
  addOutputs(scope, { DomainTarget: [domain.domainNameAliasDomainName, description] });
};
