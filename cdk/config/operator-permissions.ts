/** The resources of an operator's permissions. `*` is for actions without resources (Service Authorization Reference). */
export type OperatorResource =
  | 'stacks'
  | 'tables'
  | 'restoredTables'
  | 'buses'
  | 'queues'
  | 'userPools'
  | 'functions'
  | 'mappings'
  | 'logGroups'
  | '*';

export type OperatorPermissions = Partial<Record<OperatorResource, readonly string[]>>;

const describeStacks = { stacks: ['cloudformation:DescribeStacks'] } as const;
/** For the parts of `lib/model` that client-data and orders:reassign use. */
const changeOrders = [
  ...['dynamodb:Scan', 'dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'],
];
const findSecret: OperatorPermissions = { ...describeStacks, userPools: ['cognito-idp:DescribeUserPoolClient'] };

export const restoreNeeds = [
  ...['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  ...['dynamodb:DeleteItem', 'dynamodb:Query'],
];

/** The AWS actions that each command calls (test/commands/operator-permissions.test.ts). The role of operators has exactly these. */
export const operatorPermissions = {
  query: { logGroups: ['logs:StartQuery'], '*': ['logs:DescribeQueryDefinitions', 'logs:GetQueryResults'] },
  pause: {
    stacks: ['cloudformation:ListStackResources'],
    mappings: ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
    functions: [
      ...['lambda:GetFunctionConcurrency', 'lambda:PutFunctionConcurrency', 'lambda:DeleteFunctionConcurrency'],
    ],
  },
  audit: { ...describeStacks, tables: ['dynamodb:DescribeTable', 'dynamodb:Scan', 'dynamodb:BatchGetItem'] },
  'rotate-secret': {
    ...describeStacks,
    userPools: [
      ...['cognito-idp:ListUserPoolClientSecrets', 'cognito-idp:AddUserPoolClientSecret'],
      'cognito-idp:DeleteUserPoolClientSecret',
    ],
  },
  'client-data': { ...describeStacks, tables: ['dynamodb:DescribeTable', ...changeOrders, 'dynamodb:DeleteItem'] },
  'orders:reassign': { ...describeStacks, tables: changeOrders },
  'restore-drill': {
    stacks: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
    tables: [
      ...['dynamodb:DescribeTable', 'dynamodb:DescribeContinuousBackups', 'dynamodb:DescribeTimeToLive'],
      ...[
        'dynamodb:ListTagsOfResource',
        'dynamodb:RestoreTableToPointInTime',
        'dynamodb:Scan',
        'dynamodb:BatchGetItem',
      ],
    ],
    restoredTables: [
      ...['dynamodb:UpdateTable', 'dynamodb:UpdateTimeToLive', 'dynamodb:UpdateContinuousBackups'],
      ...['dynamodb:TagResource', 'dynamodb:DeleteTable'],
      // RestoreTableToPointInTime needs these on the new table (developer guide, "Restoring a table to a point in time").
      ...restoreNeeds,
    ],
  },
  'events:redrive': {
    ...describeStacks,
    queues: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
    buses: ['events:PutEvents'],
  },
  'events:republish': {
    ...describeStacks,
    tables: ['dynamodb:DescribeTable', 'dynamodb:Scan'],
    buses: ['events:PutEvents'],
  },
  'webhooks:redrive': {
    ...describeStacks,
    queues: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
  },
  verify: findSecret,
  import: findSecret,
  export: findSecret,
  seed: findSecret,
} satisfies Record<string, OperatorPermissions>;

/** The AWS actions of the `aws` lines under "Alarms" in cdk/RUNBOOK.md. */
export const runbookPermissions: OperatorPermissions = {
  ...describeStacks,
  tables: ['dynamodb:GetItem'],
  queues: ['sqs:PurgeQueue'],
  '*': ['cloudwatch:DescribeAlarms', 'lambda:GetAccountSettings'],
};

/** Every permission of the role, by resource. */
export const allOperatorPermissions = (): Map<OperatorResource, string[]> => {
  const all = new Map<OperatorResource, Set<string>>();
  for (const permissions of [...Object.values<OperatorPermissions>(operatorPermissions), runbookPermissions])
    for (const [resource, actions] of Object.entries(permissions) as [OperatorResource, readonly string[]][]) {
      const known = all.get(resource) ?? new Set();
      for (const action of actions) known.add(action);
      all.set(resource, known);
    }
  return new Map([...all].map(([resource, actions]) => [resource, [...actions].sort()]));
};
