import { expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };

/** The packages of the maker (npm/dynoxide/platforms.json in github.com/nubo-db/dynoxide). */
it.each([
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['linux', 'arm64'],
  ['linux', 'x64'],
  ['win32', 'x64'],
])('npm ci installs Dynoxide on %s %s', (platform, architecture) => {
  const name = `@dynoxide/${platform}-${architecture}`;
  const version = (manifest.optionalDependencies as Record<string, string>)[name];
  expect(lock.packages[''].optionalDependencies).toMatchObject({ [name]: version });
  const installed = { version, optional: true, os: [platform], cpu: [architecture] };
  expect((lock.packages as Record<string, object>)[`node_modules/${name}`]).toMatchObject(installed);
});
