/** For the dashboard, which texts mention and no command reads. Most take no resource. */
export const consoleViews = [
  'cloudwatch:ListDashboards',
  'cloudwatch:GetDashboard',
  'cloudwatch:GetMetricData',
  'cloudwatch:ListMetrics',
];

export const userPools = 'cognito-idp::userpool/*';
export const mappings = 'lambda::event-source-mapping:*';
export const functions = 'lambda::function:petstore-*';
/** Of a function: who paused it, and when (`npm run pause`). Operators can set no other tag. */
export const pauseTag = 'petstore-paused';

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
  // Restores a deleted table from its system backup.
  'dynamodb:RestoreTableFromBackup',
  'dynamodb:UpdateTable',
  'dynamodb:UpdateTimeToLive',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:TagResource',
  ...restoreNeeds,
];

/**
 * Exactly the calls of commands, of restores, and of the `aws` lines of cdk/RUNBOOK.md and cdk/TASKS.md that need no
 * administrator (test/commands/operator-permissions.test.ts). The ARNs lack region and account. A resource's name begins with its
 * stack's name; RUNBOOK and TASKS choose the names of restored tables. User pools and event source mappings have random ids, so a
 * condition restricts them. `*` has actions that take no resource (Service Authorization Reference), and DescribeAlarms.
 */
export const operatorPermissions: Readonly<Record<string, string[]>> = {
  'cloudformation::stack/petstore-*': [
    'cloudformation:DescribeStacks',
    'cloudformation:GetTemplate',
    'cloudformation:ListStackResources',
  ],
  'dynamodb::table/petstore-*': [
    'dynamodb:DescribeTable',
    'dynamodb:DescribeContinuousBackups',
    'dynamodb:DescribeTimeToLive',
    'dynamodb:ListTagsOfResource',
    'dynamodb:RestoreTableToPointInTime',
    // The ARN of a backup begins with the ARN of its table.
    'dynamodb:DescribeBackup',
    'dynamodb:RestoreTableFromBackup',
    'dynamodb:Scan',
    // `npm run client-data` changes and deletes orders through lib/model.
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  'dynamodb::table/petstore-<stage>-restored-*': ofRestore,
  // No stage uses the table of a drill, so operators may delete it.
  'dynamodb::table/petstore-<stage>-drill-*': [...ofRestore, 'dynamodb:DeleteTable'],
  'events::event-bus/petstore-*': ['events:PutEvents'],
  'sqs::petstore-*': [
    'sqs:GetQueueAttributes',
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:ChangeMessageVisibility',
    'sqs:SendMessage',
    'sqs:PurgeQueue',
  ],
  [mappings]: ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
  [userPools]: [
    'cognito-idp:DescribeUserPoolClient',
    'cognito-idp:ListUserPoolClientSecrets',
    'cognito-idp:AddUserPoolClientSecret',
    'cognito-idp:DeleteUserPoolClientSecret',
  ],
  [functions]: [
    'lambda:GetFunctionConcurrency',
    'lambda:PutFunctionConcurrency',
    'lambda:DeleteFunctionConcurrency',
    'lambda:ListTags',
    'lambda:TagResource',
    'lambda:UntagResource',
  ],
  'logs::log-group:petstore-*': ['logs:StartQuery'],
  '*': [
    'dynamodb:ListBackups',
    'logs:DescribeQueryDefinitions',
    'logs:GetQueryResults',
    'cloudwatch:DescribeAlarms',
    'cloudtrail:LookupEvents',
    ...consoleViews,
    'lambda:GetAccountSettings',
  ],
};

/** Denied to operators on a table that a stage uses, although its name is that of a restored table: it is production data. */
export const onAdopted = [
  'dynamodb:UpdateTable',
  'dynamodb:UpdateTimeToLive',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:DeleteTable',
];
