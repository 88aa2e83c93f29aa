import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * Prevents one script from using up the rates that all callers share. AWS WAF decides before the authorizer; a blocked request
 * gets WAF_FILTERED (API Gateway developer guide, "Use AWS WAF to protect your REST APIs" and "Gateway response types").
 */
export const addWebAcl = (stack: Construct, api: RestApi, limit: number): void => {
  const scope = new Construct(stack, 'WebAcl');
  // Sampled requests would contain tokens.
  const visibilityConfig = {
    sampledRequestsEnabled: false,
    cloudWatchMetricsEnabled: false,
    metricName: 'petstore',
  };
  const perAddress = {
    name: 'requestsPerAddress',
    priority: 0,
    action: { block: {} },
    statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, aggregateKeyType: 'IP' } },
    visibilityConfig,
  };
  const acl = new CfnWebACL(scope, 'Acl', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig,
    rules: [perAddress],
  });
  const { stageArn: resourceArn } = api.deploymentStage;
  new CfnWebACLAssociation(scope, 'Association', { webAclArn: acl.attrArn, resourceArn });
};
