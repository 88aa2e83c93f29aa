import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { type Feature, features, takeOut } from '../support/features.ts';
import { allNames, copyProject } from '../support/project-copy.ts';

it.each(Object.keys(features) as Feature[])(
  'without its %s, the project has no error of types',
  feature => {
    const cwd = copyProject(allNames());
    takeOut(cwd, feature);
    const { stdout } = spawnSync('node_modules/typescript-7/bin/tsc', { cwd, encoding: 'utf8' });
    expect(stdout).toBe('');
  },
);
