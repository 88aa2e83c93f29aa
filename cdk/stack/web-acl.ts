import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

interface PetstoreWebAclProps {
  readonly api: RestApi;
  /** In five minutes. */
  readonly requestsPerAddress: number;
}

/**
 * Limits the requests of one address, so that one script cannot use up the rates that all callers share. AWS WAF decides before
 * the authorizer, and a blocked request gets the gateway response WAF_FILTERED (API Gateway developer guide, "Use AWS WAF to
 * protect your REST APIs" and "Gateway response types").
 */
export class PetstoreWebAcl extends Construct {
  constructor(scope: Construct, id: string, { api, requestsPerAddress }: PetstoreWebAclProps) {
    super(scope, id);
    // Sampled requests would contain tokens.
    const visibilityConfig = { sampledRequestsEnabled: false, cloudWatchMetricsEnabled: false, metricName: 'petstore' };
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig,
      rules: [
        {
          name: 'requestsPerAddress',
          priority: 0,
          action: { block: {} },
          statement: {
            rateBasedStatement: { limit: requestsPerAddress, evaluationWindowSec: 300, aggregateKeyType: 'IP' },
          },
          visibilityConfig,
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      webAclArn: acl.attrArn,
      resourceArn: api.deploymentStage.stageArn,
    });
  }
}
