import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants } from './list/index.ts';
import { applyMutant, type KillingTest } from './mutant.ts';
import { testNamesOf } from './test-names.ts';

const root = join(import.meta.dirname, '../..');

/** Files without a mutant, and why. */
const withoutMutant: Readonly<Record<string, string>> = {
  'lib/http/handler-result.ts': 'it has only types',
  'cdk/stack/account/app.ts': 'one call; a mutant of it does not start',
  'cdk/commands/start.ts': 'one call; test/e2e starts it many times',
  'cdk/commands/dev.ts': 'it only starts and restarts a process; test/e2e/dev-loop.test.ts',
  'cdk/commands/openapi.ts': 'it writes two files, whose content other tests compare',
  'cdk/commands/docs/index.ts': 'it writes tables, which test/project/texts.test.ts compares',
  'cdk/commands/cost.ts': 'it prints tables, which test/project/texts.test.ts compares',
  'cdk/commands/synth.ts': 'it starts the CDK',
  'cdk/commands/seed/shop.ts': 'the data of an example',
};

describe('the mutants', () => {
  it('are in every file of lib, of the stack, of the local gateway and of the commands', () => {
    const files = globSync(['lib/**/*.ts', 'cdk/stack/**/*.ts', 'cdk/local/gateway/*.ts', 'cdk/commands/**/*.ts'], {
      cwd: root,
    });
    const mutated = new Set(mutants.map(({ file }) => file));
    const isExcepted = (file: string) => Object.hasOwn(withoutMutant, file);
    expect(
      files.filter(file => !mutated.has(file) && !isExcepted(file)),
      'add a mutant to test/mutation/list, or an exception with its reason here',
    ).toEqual([]);
    expect(Object.keys(withoutMutant).filter(file => mutated.has(file) || !files.includes(file))).toEqual([]);
  });

  it('apply: the code of each occurs exactly once', () => {
    const stale = mutants.flatMap(mutant => {
      try {
        const source = readFileSync(join(root, mutant.file), 'utf8');
        return applyMutant(source, mutant) === source ? [`${mutant.name}: changes nothing`] : [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
    expect(stale).toEqual([]);
  });

  it('have unique names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it('name existing tests', () => {
    const namesIn = new Map<string, readonly string[]>();
    const isMissing = ({ file, name = '' }: KillingTest): boolean => {
      if (!namesIn.has(file))
        namesIn.set(file, existsSync(join(root, file)) ? testNamesOf(readFileSync(join(root, file), 'utf8')) : []);
      return !namesIn.get(file)!.some(fullName => fullName.includes(name));
    };
    expect(
      mutants.map(({ test }) => test).filter(isMissing),
      'no test of the file has a full name (describe > it) that contains this text',
    ).toEqual([]);
  });
});
