import { expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };

// npm sometimes drops the packages of other platforms from the lock file (github.com/npm/cli/issues/4828). Dynoxide supports
// these platforms (npm/dynoxide/platforms.json in github.com/nubo-db/dynoxide).
it.each(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'] as const)(
  'npm ci installs Dynoxide on %s',
  platform => {
    const [os, cpu] = platform.split('-');
    const version = manifest.optionalDependencies[`@dynoxide/${platform}`];
    const installed = { version, optional: true, os: [os], cpu: [cpu] };
    expect(lock.packages[`node_modules/@dynoxide/${platform}`]).toMatchObject(installed);
  },
);
