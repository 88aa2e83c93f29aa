import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../cdk/openapi/breaking-changes.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { root } from '../support/project.ts';

/** The output of a git command. It is undefined if the command fails, or if git is not installed. */
const git = (...args: string[]): string | undefined => {
  // The variables that a git hook sets name another repository, so they are not passed on.
  const { PATH, HOME } = process.env;
  const options = {
    cwd: root,
    maxBuffer: 2 ** 26,
    env: { PATH, HOME },
  };
  const { status, stdout } = spawnSync('git', args, { ...options, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

it('the document breaks no caller of the newest release', context => {
  if (git('rev-parse', 'HEAD') === undefined) return context.skip('This is no git checkout.');
  // A shallow clone has no tags, and would hide what breaks.
  if (process.env.CI && git('rev-parse', '--is-shallow-repository') === 'true')
    throw new Error('The clone is shallow. Fetch all: actions/checkout with fetch-depth: 0');
  // If HEAD is the commit of a release, it has the tag of that release. So the search for the newest release starts before HEAD.
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^');
  if (!tag) return context.skip('No earlier commit has the tag of a release.');
  // The project may be a folder of its repository.
  const released = git('show', `${tag}:./cdk/openapi/openapi.json`);
  if (!released) return context.skip(`The release ${tag} has no document.`);
  const today = new Date().toISOString().slice(0, 10);
  const changes = breakingChanges(
    JSON.parse(released),
    JSON.parse(readFileSync(documentFile, 'utf8')),
    today,
  );
  expect(changes, `changes that break callers of ${tag}`).toEqual([]);
});

const pet = {
  required: ['name'],
  properties: {
    name: { minLength: 1, description: 'A name' },
    status: { enum: ['sold'] },
    code: { 'x-extensible-enum': ['gone'] },
    note: { nullable: true },
  },
};
const schema = { $ref: '#/components/schemas/Pet' };
const create = {
  operationId: 'createPet',
  parameters: [{ name: 'limit', in: 'query', schema: { maximum: 100 } }],
  requestBody: { content: { json: { schema } } },
  responses: {
    201: { headers: { Location: { nullable: true } }, content: { json: { schema } } },
    404: {
      content: { json: { examples: { unknown: { $ref: '#/components/examples/unknown' } } } },
    },
  },
};
/** A released document: an operation, an experimental operation, and an event. */
const released = JSON.stringify({
  paths: {
    '/pets': {
      post: create,
      get: { operationId: 'listPets', 'x-stability-level': 'experimental' },
    },
  },
  components: { schemas: { Pet: pet }, examples: { unknown: { value: { code: 'no_pet' } } } },
  'x-webhooks': { placed: { post: { requestBody: { content: { event: { schema: pet } } } } } },
});
const found = (from: string, to: string, today = '2026-12-01', before = released) => {
  expect(before).toContain(from);
  return breakingChanges(JSON.parse(before), JSON.parse(before.replaceAll(from, to)), today);
};

const sent = 'post /pets requestBody content json schema';
const received = 'post /pets responses 201 content json schema';
const sentJson = '"requestBody":{"content":{"json":{"schema":{"$ref":"#/components/schemas/Pet"';

describe('breaking changes', () => {
  it.each<[expected: string, from: string, to: string]>([
    ['post /pets operationId: "createPet" became "x"', '"createPet"', '"x"'],
    [
      'post /pets parameters query limit required: undefined became true',
      '"limit"',
      '"limit","required":true',
    ],
    [
      'post /pets parameters header X: now required',
      '[{',
      '[{"name":"X","in":"header","required":true},{',
    ],
    ['post /pets parameters query limit schema maximum: 100 became 50', '100', '50'],
    [
      'post /pets requestBody required: undefined became true',
      '"requestBody":{',
      '"requestBody":{"required":true,',
    ],
    ['post /pets responses 201 headers Location: removed', '"Location"', '"Age"'],
    ['post /pets responses 404 content json codes: ["no_pet"] became ["x"]', 'no_pet', 'x'],
    [`${sent} properties name minLength: 1 became 2`, '"minLength":1', '"minLength":2'],
    [`${sent} properties name pattern: undefined became "1"`, '"minLength":1', '"pattern":"1"'],
    [`${sent} properties name enum: undefined became ["Tom"]`, '"minLength":1', '"enum":["Tom"]'],
    [`${sent} properties status enum: ["sold"] became ["new"]`, '"sold"', '"new"'],
    [`${sent} required: ["name"] became ["name","x"]`, '["name"]', '["name","x"]'],
    [`${sent} properties note nullable: true became undefined`, '"nullable":true', ''],
    [`${received} required: ["name"] became []`, '["name"]', '[]'],
    [`${received} properties status enum: ["sold"] became undefined`, '"enum":["sold"]', ''],
    [
      `${received} properties status enum: ["sold"] became ["sold","new"]`,
      '"sold"',
      '"sold","new"',
    ],
    [
      `${received} properties name nullable: undefined became true`,
      '"minLength":1',
      '"nullable":true',
    ],
    [
      'event placed post requestBody content event schema properties status: removed',
      '"status"',
      '"state"',
    ],
    [
      'post /pets requestBody content json: removed',
      sentJson,
      '"requestBody":{"content":{"text":{"schema":{"required":["x"]',
    ],
    [
      'post /pets responses 201 content json: removed',
      '}},"content":{"json"',
      '}},"content":{"text"',
    ],
    ['event placed post requestBody content event: removed', '"event"', '"text"'],
  ])('finds "%s"', (expected, from, to) => {
    expect(found(from, to)).toContain(expected);
  });

  it.each<[string, from: string, to: string]>([
    ['a path', '"paths":{', '"paths":{"/toys":{},'],
    ['a field of a response', '"properties":{', '"properties":{"age":{"type":"integer"},'],
    ['an optional parameter', '[{', '[{"name":"X","in":"header"},{'],
    ['a response header', '"headers":{', '"headers":{"Age":{"required":true},'],
    ['what a response header has', '"Location":{', '"Location":{"required":true,"pattern":"1",'],
    ['null that a response no longer has', '"Location":{"nullable":true}', '"Location":{}'],
    ['a higher maximum', '100', '200'],
    ['an error code', '["gone"]', '["gone","too_early"]'],
    ['an event type', '"x-webhooks":{', '"x-webhooks":{"lent":{},'],
    ['a text', 'A name', 'Another name'],
    ['a change of an experimental operation', 'listPets', 'allPets'],
    [
      'another media type of a request, with the same schema',
      sentJson,
      sentJson.replace('json', 'text'),
    ],
  ])('allows %s', (_, from, to) => {
    expect(found(from, to)).toEqual([]);
  });

  it('finds a removed field with the name of a keyword', () => {
    const before = released.replaceAll('"note"', '"tags"');
    expect(found('"tags"', '"x"', '', before)).toContain(`${sent} properties tags: removed`);
  });

  it('allows the removal of an operation after its sunset', () => {
    const deprecated = released.replace('"operationId"', '"x-sunset":"2027-12-31","operationId"');
    const remove = (today: string) => found('{"post":{"x-', '{"put":{"x-', today, deprecated);
    expect([remove('2027-12-31'), remove('2028-01-01')]).toEqual([['post /pets: removed'], []]);
  });
});
