import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * Prevents one script from using up the rates that all callers share. AWS WAF decides before the authorizer; a blocked request
 * gets WAF_FILTERED (API Gateway developer guide, "Use AWS WAF to protect your REST APIs" and "Gateway response types"). Blocked
 * requests for tokens do not count for Cognito's quotas, and Cognito finds a new web ACL only after some time, so the pool is
 * associated after the API (Cognito developer guide, "Associate an AWS WAF web ACL with a user pool").
 */
export const addWebAcl = (
  stack: Construct,
  api: RestApi,
  limit: number,
  ownPool: IUserPool | undefined,
): void => {
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
  const associate = (id: string, resourceArn: string) =>
    new CfnWebACLAssociation(scope, id, { webAclArn: acl.attrArn, resourceArn });
  const ofApi = associate('Association', api.deploymentStage.stageArn);
  if (ownPool) associate('UserPool', ownPool.userPoolArn).addDependency(ofApi);
};
