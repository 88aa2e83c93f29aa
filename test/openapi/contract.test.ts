import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges, kinds } from '../../cdk/openapi/breaking-changes.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import type { Document } from '../../cdk/openapi/document-types.ts';
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

const current = JSON.parse(readFileSync(documentFile, 'utf8'));

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
  const changes = breakingChanges(JSON.parse(released), current, today);
  expect(changes, `changes that break callers of ${tag}`).toEqual([]);
});

const pet = {
  required: ['name'],
  properties: {
    name: { minLength: 1, description: 'A name' },
    status: { type: 'string' },
    tags: { type: 'string' },
  },
};
const schema = { $ref: '#/components/schemas/Pet' };
const create = {
  operationId: 'createPet',
  parameters: [{ name: 'limit', in: 'query', schema: { maximum: 100 } }],
  requestBody: { content: { json: { schema } } },
  responses: {
    201: { headers: { Location: {} }, content: { json: { schema } } },
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
const sentJson = '"requestBody":{"content":{"json":{"schema":{"$ref":"#/components/schemas/Pet"';

const [absent, both] = [undefined, 'sent received'];
/** By kind of keyword: where a change breaks callers, and where its reverse does. */
const verdicts: Record<keyof typeof kinds, [from: unknown, to: unknown, string, string][]> = {
  fixed: [
    [absent, 'a', both, both],
    ['a', 'b', both, both],
  ],
  openList: [
    [absent, ['a'], '', both],
    [['a'], ['a', 'b'], '', both],
    [['a'], ['b'], both, both],
  ],
  closedList: [
    [absent, ['a'], 'sent', 'received'],
    [['a'], ['a', 'b'], 'received', 'sent'],
    [['a'], ['b'], both, both],
  ],
  demand: [
    [absent, ['a'], 'sent', 'received'],
    [['a'], ['a', 'b'], 'sent', 'received'],
    [absent, true, 'sent', 'received'],
    [absent, false, '', ''],
  ],
  permission: [
    [absent, true, 'received', 'sent'],
    [absent, false, '', ''],
  ],
  upperBound: [
    [absent, 2, 'sent', ''],
    [1, 2, '', 'sent'],
  ],
  lowerBound: [
    [absent, 2, 'sent', ''],
    [1, 2, 'sent', ''],
  ],
  restriction: [
    [absent, 2, 'sent', ''],
    [1, 2, 'sent', 'sent'],
  ],
};
const changes = Object.entries(verdicts).flatMap(([kind, rows]) =>
  kinds[kind as keyof typeof kinds][1].flatMap(keyword => rows.map(row => [keyword, ...row])),
);

describe('breaking changes', () => {
  it.each(changes)('%s: from %j to %j breaks what is %s; the reverse %s', (...row) => {
    const [keyword, from, to, ...breaks] = row as [string, ...unknown[]];
    const documentOf = (value: unknown, [part, ...inner]: string[]): object =>
      part ? { [part]: documentOf(value, inner) } : { [keyword]: value };
    const places = { sent: 'requestBody', received: 'responses 200' };
    const broken = (...values: unknown[]) =>
      Object.entries(places).flatMap(([side, place]) => {
        const path = `paths /pets post ${place} content json schema properties content`.split(' ');
        const [before, after] = values.map(value => documentOf(value, path) as Document);
        return breakingChanges(before!, after!, '').length > 0 ? side : [];
      });
    expect([broken(from, to), broken(to, from)].map(sides => sides.join(' '))).toEqual(breaks);
  });

  it('have a verdict for each keyword of the document', () => {
    expect(breakingChanges(current, current, '')).toEqual([]);
    expect(() => found('"minLength"', '"minProperties"')).toThrow('name minProperties to its kind');
  });

  it.each<[expected: string, from: string, to: string]>([
    [
      'post /pets parameters header X: now required',
      '[{',
      '[{"name":"X","in":"header","required":true},{',
    ],
    // Only what was experimental in the release may change.
    [
      'post /pets operationId: "createPet" became "x"',
      '"createPet"',
      '"x","x-stability-level":"experimental"',
    ],
    ['post /pets parameters query limit schema maximum: 100 became 50', '100', '50'],
    [`${sent} properties tags: removed`, '"tags"', '"x"'],
    ['post /pets responses 201 headers Location: removed', '"Location"', '"Age"'],
    ['post /pets responses 404 content json codes: ["no_pet"] became ["x"]', 'no_pet', 'x'],
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

  it('allows the removal of an operation after its sunset', () => {
    const deprecated = released.replace('"operationId"', '"x-sunset":"2027-12-31","operationId"');
    const remove = (today: string) => found('{"post":{"x-', '{"put":{"x-', today, deprecated);
    expect([remove('2027-12-31'), remove('2028-01-01')]).toEqual([['post /pets: removed'], []]);
  });
});
