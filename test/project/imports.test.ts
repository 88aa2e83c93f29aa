import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationIds, operations } from '../../lib/operations/index.ts';
import { all, imports } from '../support/import-graph.ts';
import { read } from '../support/project.ts';

/**
 * A folder with its subfolders, or one file → what it may import, and of what only types. A subfolder with its own row has its
 * own rule.
 */
const rules: Readonly<Record<string, readonly [uses: string, knows?: string]>> = {
  lib: [''],
  'lib/schemas': [''],
  'lib/aws': ['lib'],
  'lib/operations': ['lib lib/schemas'],
  'lib/model/table': ['lib lib/aws', 'lib/schemas'],
  'lib/model': ['lib lib/schemas lib/model/table'],
  'lib/events': [
    'lib lib/aws lib/schemas lib/model/kinds.ts lib/model/invariants.ts',
    'lib/model/table',
  ],
  'lib/webhooks': ['lib lib/aws'],
  // lib/http may import only types of lib/model/table, so the bundle of a function that reads no table has no model.
  'lib/http': ['lib lib/schemas lib/operations', 'lib/model/table'],
  functions: ['lib lib/http lib/operations lib/model lib/events lib/webhooks'],
  'cdk/config': [
    'lib lib/operations lib/model/table lib/events/cloud-event.ts lib/events/event-types.ts',
  ],
  'cdk/bundle': ['lib lib/operations cdk/openapi cdk/stages.ts cdk/files', 'cdk/config'],
  'cdk/stack': ['lib lib/http lib/operations lib/model/table cdk/config', 'cdk/bundle'],
  'cdk/synthesis': ['cdk/config cdk/stack cdk/bundle cdk/files'],
  'cdk/stages.ts': ['', 'cdk/config'],
  'cdk/rename.ts': ['cdk/command.ts'],
  'cdk/app.ts': ['cdk/synthesis cdk/cost cdk/stages.ts', 'cdk/stack'],
  'cdk/account-app.ts': ['cdk/synthesis cdk/config cdk/stack cdk/stages.ts'],
  'cdk/openapi': [
    'lib lib/schemas lib/operations lib/http lib/events lib/model/kinds.ts lib/model/references.ts cdk/config',
  ],
  // `cdk synth` loads it, and needs nothing of the local server.
  'cdk/cost': ['lib lib/schemas lib/model/references.ts cdk/config cdk/synthesis'],
  // The local server reads only the template and its assets, so it serves exactly what would be deployed.
  'cdk/local': [
    'cdk/synthesis/template.ts cdk/synthesis/api.ts cdk/config/webhooks.ts cdk/command.ts cdk/aws cdk/files cdk/local/gateway/unavailable.ts lib/aws/queue.ts lib/schemas/uncarried.ts',
    'cdk/synthesis',
  ],
  // Responds in place of functions, so it may import what functions import.
  'cdk/local/gateway/unavailable.ts': ['lib lib/operations lib/http cdk/config'],
  'cdk/local/watch': ['cdk/synthesis cdk/bundle cdk/local cdk/stages.ts cdk/files'],
  'cdk/command.ts': ['cdk/aws'],
  'cdk/aws': [''],
  'cdk/files': [''],
  'cdk/commands/shared': [
    'lib lib/schemas lib/model lib/model/table lib/events/cloud-event.ts lib/aws cdk/config cdk/openapi cdk/command.ts cdk/aws cdk/files cdk/stages.ts',
  ],
  // The audit recomputes derived attributes, so it must not use the code that writes them.
  'cdk/commands/audit': [
    'lib/model/invariants.ts lib/model/violation.ts lib/model/kinds.ts lib/model/references.ts lib/model/table/indexes.ts cdk/commands/shared cdk/config/prices.ts cdk/command.ts',
  ],
  // Commands are entry points, so only tests import them.
  'cdk/commands': [
    'lib lib/schemas lib/operations lib/model lib/model/table lib/events lib/aws/queue.ts cdk/config cdk/synthesis cdk/bundle cdk/openapi cdk/cost cdk/local cdk/local/watch cdk/commands/shared cdk/commands/audit cdk/command.ts cdk/aws cdk/files cdk/stages.ts',
  ],
};

const sources = all.filter(file => !file.startsWith('test/'));

/** The innermost folder with a rule that contains a file. */
const ownerOf = (file: string): string =>
  Object.keys(rules)
    .filter(path => file === path || file.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0]!;

describe('the source files', () => {
  it('import only what the rules allow', () => {
    const forbidden = imports.filter(({ from, to, typesOnly }) => {
      if (!sources.includes(from)) return false; // Tests may import everything.
      const [uses, knows = ''] = rules[ownerOf(from)]!;
      const allowed = [ownerOf(from), ...uses.split(' '), ...(typesOnly ? knows.split(' ') : [])];
      return !allowed.includes(ownerOf(to)) && !allowed.includes(to);
    });
    const mayImport = (file: string) =>
      `${ownerOf(file)} may import: ${rules[ownerOf(file)]!.join(', types of ')}`;
    expect(forbidden.map(({ from, to }) => `${from} imports ${to}; ${mayImport(from)}`)).toEqual(
      [],
    );
  });

  it('have no cyclic imports, those of types included', () => {
    let left = imports;
    for (let size = 0; size !== left.length; ) {
      size = left.length;
      // An import is in no cycle if nothing imports its file, or if it imports a file without imports.
      const [importing, imported] = [
        new Set(left.map(({ from }) => from)),
        new Set(left.map(({ to }) => to)),
      ];
      left = left.filter(({ from, to }) => imported.has(from) && importing.has(to));
    }
    expect(left.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('of cdk create SDK clients in cdk/aws/aws-client.ts only', () => {
    const creating = all.filter(file => /^(cdk|test\/stage)\//.test(file));
    const creations = creating.flatMap(file => read(file).match(/new \w+Client\(/g) ?? []);
    expect(creations).toEqual([]);
  });

  it('have at most 180 lines in lib and functions', () => {
    const shipped = sources.filter(file => /^(?:lib|functions)\//.test(file));
    expect(shipped.filter(file => read(file).split('\n').length > 181)).toEqual([]);
  });

  it('of an operation are named after its id, and so is its registry entry', () => {
    const namesIn = (folder: string) =>
      sources.filter(file => dirname(file) === folder).map(file => basename(file, '.ts'));
    expect(namesIn('lib/operations').sort()).toEqual(
      [...operationIds, 'index', 'operation'].sort(),
    );
    expect(namesIn('functions').sort()).toEqual(
      [...operationIds, 'deliverWebhooks', 'publishEvents'].sort(),
    );
    expect(Object.keys(operations)).toEqual(operationIds);
  });
});
