/**
 * What a region lacks of the resources that a stage or an account can ask for. Source: CloudFormation's resource schemas of
 * each region, as cfn-lint 1.51.0 (August 2026) contains them; all other types and properties of the templates are in each of
 * the 34 commercial regions. A newer region, or a newer schema, may need another row.
 */

/** No stage was ever synthesized for other partitions. The two regions in China have no user pools. */
export const isCommercial = (region: string): boolean => !/^(?:cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/.test(region);

/** No `EndpointAccessMode` of `AWS::ApiGateway::DomainName`. */
export const regionsWithoutDomains: readonly string[] = ['eu-south-1'];

/** No `AWS::Budgets::Budget`. A budget counts all regions, so it can be in another one. */
export const regionsWithoutBudgets: readonly string[] = [
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-3',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
];
