import { CfnOutput, Stack } from 'aws-cdk-lib';
import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Domain } from '../config/settings.ts';

interface PetstoreDomainProps extends Domain {
  readonly api: RestApi;
}

/**
 * The API under a name of your own, at its root: regional, and as strict about TLS as the API itself, whose policy does not
 * reach here (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-custom-domain-tls-version.html). Certificate and
 * zone were there before and stay.
 */
export class PetstoreDomain extends Construct {
  constructor(scope: Construct, id: string, { api, name, certificateArn, hostedZone }: PetstoreDomainProps) {
    super(scope, id);
    const domain = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
      endpointAccessMode: EndpointAccessMode.STRICT,
      mapping: api,
    });
    if (hostedZone) {
      const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: hostedZone.id,
        zoneName: hostedZone.name,
      });
      new ARecord(this, 'Record', {
        zone,
        // With its last dot it is the whole name.
        recordName: `${name}.`,
        target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
      });
    }
    new CfnOutput(Stack.of(this), 'DomainTarget', {
      value: domain.domainNameAliasDomainName,
      description: `What ${name} must lead to: a CNAME or an alias record${hostedZone ? ', which the stack has made' : ''}`,
    });
  }
}
