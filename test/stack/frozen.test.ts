import { describe, expect, it } from 'vitest';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import { type OrderItem, storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { indexes, readFrom } from '../../lib/model/table/indexes.ts';
import {
  categoryIndexKeys,
  categoryKey,
  idempotencyKey,
  orderIndexKeys,
  orderKey,
  petIndexKeys,
  petKey,
} from '../../lib/model/table/keys.ts';
import { synthesizeShared } from '../support/petstore.ts';

// What the first deployment fixes. When a test here fails, do not change this table: find another way, or migrate.

const { template } = await synthesizeShared({ stage: 'prod', settings: withOwnTable });

interface Frozen {
  readonly type: string;
  /** Whether it is retained after its stack. */
  readonly isRetained: boolean;
  /** Properties that CloudFormation can change only by a replacement, or not at all. */
  readonly properties: object;
  /** The loss after a replacement. */
  readonly loss: string;
}

const pool = { UserPoolId: { Ref: 'AuthUserPool8115E87F' } };
const client = (name: string) => ({
  type: 'AWS::Cognito::UserPoolClient',
  isRetained: true,
  properties: { ...pool, GenerateSecret: true },
  loss: `a new client "${name}" has another id and another secret: its orders would have another owner, and nobody could sign in`,
});

/** By logical id, which is derived from the construct's path: to move or rename a construct replaces its resource. */
const frozen: Record<string, Frozen> = {
  Table710B521B: {
    type: 'AWS::DynamoDB::GlobalTable',
    isRetained: true,
    properties: {
      TableName: undefined,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: undefined,
    },
    loss: 'a new table is empty: all pets, categories, stock and orders would be left behind in the old one',
  },
  AuthUserPool8115E87F: {
    type: 'AWS::Cognito::UserPool',
    isRetained: true,
    properties: {
      UserPoolName: undefined,
      AliasAttributes: undefined,
      UsernameAttributes: undefined,
      Schema: undefined,
      UsernameConfiguration: { CaseSensitive: false },
    },
    loss: 'a new user pool has new clients and another token endpoint: all orders would have other owners, and every caller new secrets',
  },
  AuthResourceServer569006C5: {
    type: 'AWS::Cognito::UserPoolResourceServer',
    isRetained: true,
    properties: { ...pool, Identifier: 'petstore' },
    loss: 'another resource server means other scopes: every token would be refused',
  },
  AuthUserPoolDomain31C6792A: {
    type: 'AWS::Cognito::UserPoolDomain',
    isRetained: true,
    properties: {
      ...pool,
      Domain: {
        'Fn::Join': ['', ['petstore-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }]],
      },
    },
    loss: 'another domain is another token endpoint: no caller would get a token',
  },
  AuthUserPoolstaff75ED4048: client('staff'),
  AuthUserPoolshop3BDA8AE3: client('shop'),
  AuthUserPoolverifyA998FD41: client('verify'),
  ApiCD79AAA0: {
    type: 'AWS::ApiGateway::RestApi',
    isRetained: false,
    properties: {},
    loss: 'a new API has another address: every caller’s base URL would be dead',
  },
  ApiDeploymentStageprod95EFE650: {
    type: 'AWS::ApiGateway::Stage',
    isRetained: false,
    properties: { RestApiId: { Ref: 'ApiCD79AAA0' }, StageName: 'prod' },
    loss: 'the name of the stage is part of the address: every caller’s base URL would be dead',
  },
  EventsBus45DE4339: {
    type: 'AWS::Events::EventBus',
    isRetained: false,
    properties: { Name: 'petstore-prod' },
    loss: 'a new bus has no rules: subscribers of the old one would get no more events',
  },
};

describe.each(Object.entries(frozen))('%s', (id, { type, isRetained, properties, loss }) => {
  const resource = template.Resources[id];

  it(`is still the ${type}`, () => {
    const present = Object.keys(template.Resources).filter(name => template.Resources[name]!.Type === type);
    expect(resource?.Type, `${loss}. There are now: ${present.join(', ')}`).toBe(type);
  });

  it.runIf(Object.keys(properties).length > 0)('has the same values of the properties whose change replaces it', () => {
    const found = Object.fromEntries(Object.keys(properties).map(name => [name, resource?.Properties[name]]));
    expect(found, loss).toEqual(properties);
  });

  it.runIf(isRetained)('is retained when it is deleted from the stack or replaced', () => {
    const { DeletionPolicy, UpdateReplacePolicy } = resource ?? {};
    expect([DeletionPolicy, UpdateReplacePolicy], loss).toEqual(['Retain', 'Retain']);
  });
});

describe('the table of frozen resources', () => {
  it('has every retained resource and every resource of Cognito', () => {
    const lasting = Object.entries(template.Resources).filter(
      ([, { Type, DeletionPolicy }]) => DeletionPolicy === 'Retain' || Type.startsWith('AWS::Cognito::'),
    );
    const known = Object.keys(frozen).filter(id => frozen[id]!.isRetained);
    expect(lasting.map(([id]) => id).sort(), 'a new one of these: freeze it here').toEqual(known.sort());
  });
});

/**
 * Index → key attribute and projection of the first deployment. Add a row for a new index; never change the row of a
 * deployed index.
 */
const projected = [
  'name',
  'description',
  'categoryId',
  'status',
  'petId',
  'quantity',
  'shipDate',
  'complete',
  'projected',
];
const deployedIndexes: Record<string, { key: string; projection: string[] }> = {
  'all-1': { key: 'all', projection: projected },
  'byState-1': { key: 'byState', projection: projected },
  'byGroup-1': { key: 'byGroup', projection: projected },
  'byGroupAndState-1': { key: 'byGroupAndState', projection: projected },
  'byPet-1': { key: 'byPet', projection: projected },
  'byPetAndState-1': { key: 'byPetAndState', projection: projected },
};

describe('the indexes', () => {
  const { AttributeDefinitions, GlobalSecondaryIndexes } = template.Resources.Table710B521B!.Properties;
  const howTo =
    'CloudFormation refuses to change a deployed index. Build another beside it: lib/model/README.md, "To change an index". A field for lists goes into the map `projected`';

  it('have the same keys and projections as in the first deployment', () => {
    const found = GlobalSecondaryIndexes.map(
      // biome-ignore lint/suspicious/noExplicitAny: the properties of an index
      ({ IndexName, KeySchema, Projection }: any) => [
        IndexName,
        { key: KeySchema[0].AttributeName, sort: KeySchema[1].AttributeName, projection: Projection.NonKeyAttributes },
      ],
    );
    const expected = Object.entries(deployedIndexes).map(([name, { key, projection }]) => [
      name,
      { key, sort: 'id', projection },
    ]);
    expect(Object.fromEntries(found), howTo).toEqual(Object.fromEntries(expected));
  });

  it('have a number as sort key, and text as partition key', () => {
    const types = AttributeDefinitions.map((definition: Record<string, string>) => [
      definition.AttributeName,
      definition.AttributeType,
    ]);
    const text = Object.fromEntries(
      ['pk', 'sk', 'all', 'byState', 'byGroup', 'byGroupAndState', 'byPet', 'byPetAndState'].map(name => [name, 'S']),
    );
    expect(Object.fromEntries(types), howTo).toEqual({ ...text, id: 'N' });
  });

  it('that lists read exist in the table, under their key attribute', () => {
    for (const [key, name] of Object.entries(readFrom))
      expect(indexes.find(index => index.name === name)?.key, `${name} is read by ${key}`).toBe(key);
  });
});

describe('the attributes of items', () => {
  const loss = 'stored items keep the names of their attributes: the code would no longer find them';
  const namesOf = (item: object) => Object.keys(item).filter(name => !(name in readFrom));

  it('have the same names as in the first deployment', () => {
    const pet = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
    expect(namesOf(storedPet(pet)), loss).toEqual([
      'pk',
      'sk',
      'id',
      'name',
      'categoryId',
      'status',
      'availableQuantity',
      'reservedQuantity',
      'onHold',
      'version',
    ]);
    expect(namesOf(storedCategory({ id: 3, name: 'Cats', description: 'Purr' })), loss).toEqual([
      'pk',
      'sk',
      'id',
      'name',
      'description',
      'petCount',
      'version',
    ]);
    const order: Required<OrderItem> = {
      id: 9,
      petId: 7,
      quantity: 1,
      shipDate: '2027-01-04T09:00:00Z',
      complete: false,
      ownerId: 'anna',
      clientId: 'shop',
      version: 1,
      deletedByOperator: true,
    };
    expect(namesOf(storedOrder(order)), loss).toEqual([
      'pk',
      'sk',
      'id',
      'petId',
      'quantity',
      'shipDate',
      'complete',
      'ownerId',
      'clientId',
      'version',
      'deletedByOperator',
    ]);
  });
});

describe('the keys of items', () => {
  const loss = 'items that exist keep their keys: they would no longer be found, or not be listed';

  it('are the same as in the first deployment', () => {
    expect([petKey(7), categoryKey(7), orderKey(7), idempotencyKey('x')], loss).toEqual([
      { pk: 'PET#7', sk: 'PET' },
      { pk: 'CATEGORY#7', sk: 'CATEGORY' },
      { pk: 'ORDER#7', sk: 'ORDER' },
      { pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY' },
    ]);
    expect(petIndexKeys({ id: 7, categoryId: 3, status: 'sold' }), loss).toEqual({
      all: 'PETS#0',
      byState: 'PETS#sold#0',
      byGroup: 'CATEGORY#3#PETS#0',
      byGroupAndState: 'CATEGORY#3#PETS#sold#0',
    });
    expect(categoryIndexKeys(7), loss).toEqual({ all: 'CATEGORIES#0' });
    const order = { all: 'ORDERS#0', byGroup: 'OWNER#shop#ORDERS#0', byPet: 'PET#5#ORDERS#0' };
    expect(orderIndexKeys({ id: 7, petId: 5, ownerId: 'shop', complete: false }), loss).toEqual({
      ...order,
      byState: 'ORDERS#open#0',
      byGroupAndState: 'OWNER#shop#ORDERS#open#0',
      byPetAndState: 'PET#5#ORDERS#open#0',
    });
    expect(orderIndexKeys({ id: 7, petId: 5, ownerId: 'shop', complete: true }), loss).toEqual({
      ...order,
      byState: 'ORDERS#complete#0',
      byGroupAndState: 'OWNER#shop#ORDERS#complete#0',
      byPetAndState: 'PET#5#ORDERS#complete#0',
    });
  });

  it('leave `expiresAt` to items with a TTL', () => {
    const { TimeToLiveSpecification } = template.Resources.Table710B521B!.Properties;
    expect(TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAt', Enabled: true });
  });
});
