/**
 * The resources of all stages, without region and account. Their names begin with those of their stacks; cdk/RUNBOOK.md
 * names the tables that it restores: to adopt, or for a drill. User pools and event source mappings have random ids and need a
 * condition. `*` is for actions without resources (Service Authorization Reference).
 */
export const operatorResources = {
  stacks: 'cloudformation::stack/petstore-*',
  tables: 'dynamodb::table/petstore-*',
  restoredTables: 'dynamodb::table/petstore-<stage>-restored-*',
  drillTables: 'dynamodb::table/petstore-<stage>-drill-*',
  buses: 'events::event-bus/petstore-*',
  queues: 'sqs::petstore-*',
  userPools: 'cognito-idp::userpool/*',
  functions: 'lambda::function:petstore-*',
  mappings: 'lambda::event-source-mapping:*',
  logGroups: 'logs::log-group:petstore-*',
  '*': '*',
};
export type OperatorResource = keyof typeof operatorResources;

/** What RestoreTableToPointInTime needs on the new table (developer guide, "Restoring a table to a point in time"). */
export const restoreNeeds = [
  'dynamodb:BatchWriteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:Query',
  'dynamodb:Scan',
];

const ofRestore = [
  // Of a deleted table: from its system backup.
  'dynamodb:RestoreTableFromBackup',
  'dynamodb:UpdateTable',
  'dynamodb:UpdateTimeToLive',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:TagResource',
  ...restoreNeeds,
];

/**
 * What the role of operators may do: exactly what the commands call, and the `aws` lines of cdk/RUNBOOK.md that need no
 * administrator (test/commands/operator-permissions.test.ts).
 */
export const operatorPermissions: Readonly<Record<OperatorResource, readonly string[]>> = {
  stacks: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate', 'cloudformation:ListStackResources'],
  tables: [
    'dynamodb:DescribeTable',
    'dynamodb:DescribeContinuousBackups',
    'dynamodb:DescribeTimeToLive',
    'dynamodb:ListTagsOfResource',
    'dynamodb:RestoreTableToPointInTime',
    // A backup's ARN begins with that of its table.
    'dynamodb:DescribeBackup',
    'dynamodb:RestoreTableFromBackup',
    'dynamodb:Scan',
    // Through lib/model: client-data changes and deletes orders.
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  restoredTables: ofRestore,
  // A stage may use a restored table, but never a drill's.
  drillTables: [...ofRestore, 'dynamodb:DeleteTable'],
  buses: ['events:PutEvents'],
  queues: [
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:ChangeMessageVisibility',
    'sqs:SendMessage',
    'sqs:PurgeQueue',
  ],
  mappings: ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
  userPools: [
    'cognito-idp:DescribeUserPoolClient',
    'cognito-idp:ListUserPoolClientSecrets',
    'cognito-idp:AddUserPoolClientSecret',
    'cognito-idp:DeleteUserPoolClientSecret',
  ],
  functions: ['lambda:GetFunctionConcurrency', 'lambda:PutFunctionConcurrency', 'lambda:DeleteFunctionConcurrency'],
  logGroups: ['logs:StartQuery'],
  '*': [
    'dynamodb:ListBackups',
    'logs:DescribeQueryDefinitions',
    'logs:GetQueryResults',
    'cloudwatch:DescribeAlarms',
    'lambda:GetAccountSettings',
  ],
};
