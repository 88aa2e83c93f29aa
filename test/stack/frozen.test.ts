import { expect, it } from 'vitest';
import { collectionsOf } from '../../cdk/openapi/descriptions.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import { violationsOfItem } from '../../lib/model/invariants.ts';
import { type OrderItem, storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { readFrom } from '../../lib/model/table/indexes.ts';
import * as keys from '../../lib/model/table/keys.ts';
import { maxOrderQuantity, maxStoredQuantity } from '../../lib/schemas/order.ts';
import { newPet } from '../support/new-pet.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { type StoredNoun, storedNouns } from '../support/resources.ts';

// The first deployment fixes these values. When a test fails, do not change this file, unless the message says so: find another
// way, or migrate. The golden texts show such a change, too, but they exist to be updated.

const { template } = await synthesizeShared({ stage: 'prod' });
const { Resources } = template;

type Frozen = [type: string, properties: object, loss: string];
const keySchema = ['HASH', 'RANGE'].map((KeyType, index) => ({
  AttributeName: ['pk', 'sk'][index],
  KeyType,
}));
const pool = { UserPoolId: { Ref: 'AuthUserPool8115E87F' } };
const uuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
const clients =
  'AuthUserPoolstaff75ED4048 AuthUserPoolshop3BDA8AE3 AuthUserPoolverifyA998FD41 AuthUserPoolmonitorE7C4066C'.split(
    ' ',
  );
const client: Frozen = [
  'AWS::Cognito::UserPoolClient',
  { ...pool, GenerateSecret: true },
  'a new client has another id and secret: its orders would have another owner, and nobody could sign in',
];
const address = 'every caller’s base URL would be dead';
const bus = 'a new bus has no rules: subscribers of the old one would get no more events';
const stage = { RestApiId: { Ref: 'ApiCD79AAA0' }, StageName: 'prod' };

/**
 * By logical id. A change of most of these properties replaces the resource; so does moving or renaming its construct, because
 * the id follows from its path.
 */
const retained: Record<string, Frozen> = {
  Table710B521B: [
    'AWS::DynamoDB::GlobalTable',
    {
      TableName: undefined,
      KeySchema: keySchema,
      LocalSecondaryIndexes: undefined,
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
    `a new table is empty: all ${collectionsOf()} would be left behind in the old one`,
  ],
  AuthUserPool8115E87F: [
    'AWS::Cognito::UserPool',
    {
      UserPoolName: undefined,
      AliasAttributes: undefined,
      UsernameAttributes: undefined,
      Schema: undefined,
      UsernameConfiguration: { CaseSensitive: false },
    },
    'a new pool has new clients and another token endpoint: all orders would have other owners',
  ],
  AuthResourceServer569006C5: [
    'AWS::Cognito::UserPoolResourceServer',
    { ...pool, Identifier: 'petstore' },
    'another resource server means other scopes: every token would be refused',
  ],
  AuthUserPoolDomain31C6792A: [
    'AWS::Cognito::UserPoolDomain',
    { ...pool, Domain: uuid },
    'another domain is another token endpoint: no caller would get a token',
  ],
  ...Object.fromEntries(clients.map(id => [id, client])),
};

/** Deleted with the stack. */
const replaceable: typeof retained = {
  ApiCD79AAA0: ['AWS::ApiGateway::RestApi', {}, address],
  ApiDeploymentStageprod95EFE650: ['AWS::ApiGateway::Stage', stage, address],
  EventsBus45DE4339: ['AWS::Events::EventBus', { Name: 'petstore-prod' }, bus],
};

it.each(Object.entries({ ...retained, ...replaceable }))(
  '%s is not replaced',
  (id, [type, properties, loss]) => {
    const { Type, Properties = {}, DeletionPolicy, UpdateReplacePolicy } = Resources[id] ?? {};
    expect(Type, loss).toBe(type);
    const found = Object.fromEntries(Object.keys(properties).map(name => [name, Properties[name]]));
    expect(found, loss).toEqual(properties);
    if (id in retained)
      expect([DeletionPolicy, UpdateReplacePolicy], loss).toEqual(['Retain', 'Retain']);
  },
);

it('every retained resource, and every resource of Cognito, is frozen here', () => {
  const lasting = Object.entries(Resources).filter(
    ([, { Type, DeletionPolicy }]) =>
      DeletionPolicy === 'Retain' || Type.startsWith('AWS::Cognito::'),
  );
  expect(lasting.map(([id]) => id).sort()).toEqual(Object.keys(retained).sort());
});

/** A name begins with the key attribute. Indexes may be added, but a deployed one never changes. */
const deployedIndexes =
  'all-1 byState-1 byGroup-1 byGroupAndState-1 byPet-1 byPetAndState-1 byHold-1 byName-1'.split(
    ' ',
  );
const keyOf = (index: string) => index.replace(/-\d+$/, '');
/** Without stock: orders for different pets would write the same items of an index. */
const projected =
  'name description categoryId status petId quantity shipDate complete projected'.split(' ');

it('the indexes keep their keys, types and projections', () => {
  const howTo =
    'CloudFormation refuses to change a deployed index. Build another beside it: lib/model/README.md, "To change an index". A field for lists goes into the map `projected`. A new index is frozen from its deployment on: add its name to `deployedIndexes`';
  const { AttributeDefinitions, GlobalSecondaryIndexes } = Resources.Table710B521B!.Properties;
  expect(GlobalSecondaryIndexes, howTo).toMatchObject(
    deployedIndexes.map(IndexName => ({
      IndexName,
      KeySchema: [{ AttributeName: keyOf(IndexName) }, { AttributeName: 'id' }],
      Projection: { NonKeyAttributes: projected },
    })),
  );
  const types = AttributeDefinitions.map(
    ({ AttributeName, AttributeType }: Record<string, string>) =>
      [AttributeName, AttributeType].join(),
  );
  const text = ['pk', 'sk', ...deployedIndexes.map(keyOf)].map(name => `${name},S`);
  expect(types.sort(), howTo).toEqual([...text, 'id,N'].sort());
});

const order = { id: 9, petId: 7, quantity: 1, shipDate: '2027-01-04T09:00:00Z', complete: false };

const placed: Required<OrderItem> = {
  ...order,
  ownerId: 'shop',
  clientId: 'b',
  version: 1,
  deletedByOperator: true,
};
/** The compiler demands a new resource here: add what its items are from now on. */
const stored: Record<StoredNoun, readonly [item: object, keys: object, names: string]> = {
  pet: [
    storedPet(newPetItem(7, { ...newPet, categoryId: 3, status: 'pending' })),
    {
      pk: 'PET#7',
      sk: 'PET',
      all: 'PETS#0',
      byState: 'PETS#pending#0',
      byGroup: 'CATEGORY#3#PETS#0',
      byGroupAndState: 'CATEGORY#3#PETS#pending#0',
      byHold: 'PETS#ON-HOLD#0',
      byName: 'PETS#NAME#tom#0',
    },
    'id name categoryId status availableQuantity reservedQuantity onHold version',
  ],
  category: [
    storedCategory({ id: 3, name: 'Cats', description: 'Purr' }),
    { pk: 'CATEGORY#3', sk: 'CATEGORY', all: 'CATEGORIES#0' },
    'id name description petCount version',
  ],
  order: [
    storedOrder(placed),
    {
      pk: 'ORDER#9',
      sk: 'ORDER',
      all: 'ORDERS#0',
      byState: 'ORDERS#open#0',
      byGroup: 'OWNER#shop#ORDERS#0',
      byGroupAndState: 'OWNER#shop#ORDERS#open#0',
      byPet: 'PET#7#ORDERS#0',
      byPetAndState: 'PET#7#ORDERS#open#0',
    },
    'id petId quantity shipDate complete ownerId clientId version deletedByOperator',
  ],
};

it.each(storedNouns)(
  'an item of a %s keeps its keys, else it is not found or not listed, and its attributes',
  noun => {
    const [item, keys, names] = stored[noun];
    expect(item).toMatchObject(keys);
    expect(Object.keys(item).sort()).toEqual([...Object.keys(keys), ...names.split(' ')].sort());
  },
);

it('each index has an item above, so that its partitions stay', () => {
  const keysOfAll = Object.values(stored).flatMap(([, keys]) => Object.keys(keys));
  expect(Object.keys(readFrom).filter(key => !keysOfAll.includes(key))).toEqual([]);
});

it('a pet keeps its partition of names, a long name by its digest', () => {
  const partitions = ['É'.repeat(100), 'ガ'.repeat(17)].map(
    name => keys.petPartitions({ name }).byName,
  );
  expect(partitions).toEqual([
    `PETS#NAME#${'e'.repeat(100)}`,
    'PETS#NAME#DIGEST#jJkE_rPNL8-HXgZ0-F0Er6',
  ]);
});

it('an idempotency record keeps its key, and a complete order its partitions', () => {
  expect(keys.idempotencyKey('x')).toEqual({ pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY' });
  expect(storedOrder({ ...placed, complete: true })).toMatchObject({
    byState: 'ORDERS#complete#0',
    byGroupAndState: 'OWNER#shop#ORDERS#complete#0',
    byPetAndState: 'PET#7#ORDERS#complete#0',
  });
});

it('an order may have the highest quantity that was ever allowed', () => {
  const stored = storedOrder({
    ...order,
    quantity: 10_000,
    ownerId: 'a',
    clientId: 'b',
    version: 1,
  });
  expect(
    [...violationsOfItem({ ...stored, writeCount: 1 }, 1)],
    'raise maxStoredQuantity, never lower it',
  ).toEqual([]);
  expect(maxStoredQuantity).toBeGreaterThanOrEqual(maxOrderQuantity);
});
