import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../cdk/build/bundle/bundle.ts';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import lock from '../../package-lock.json' with { type: 'json' };
import { runInProcess } from '../support/in-process.ts';
import { newFolder } from '../support/processes.ts';

const sbom = (...args: string[]) => runInProcess('cdk/commands/sbom.ts', args);

describe('npm run sbom', () => {
  it('lists exactly the packages of the bundles and of the documentation page, with their versions', async () => {
    // Bundles of their own, because `npm test` removes the source maps of the shared ones.
    const bundles = await bundle(functionNames, await newFolder());
    const { assets } = await synthesize({ stage: 'local', bundles });
    const [asset] = assets.values();
    const assembly = join(asset!, '..');
    const { code, output } = await sbom(assembly);
    expect(code, output).toBe(0);

    const paths = new Set(['node_modules/swagger-ui-dist']);
    for (const map of readdirSync(assembly).filter(name => name.endsWith('.map')))
      for (const source of JSON.parse(readFileSync(join(assembly, map), 'utf8')).sources as string[]) {
        const [path] = /node_modules\/(@[^/]+\/)?[^/]+/.exec(source) ?? [];
        if (path) paths.add(path);
      }
    expect(paths.size).toBeGreaterThan(10);
    const installed = lock.packages as Record<string, { version?: string }>;
    const expected = [...paths].map(path => `${path.replace('node_modules/', '')}@${installed[path]!.version}`);

    const bill = JSON.parse(readFileSync(join(assembly, 'sbom.json'), 'utf8'));
    const refs = bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']);
    expect(refs.sort()).toEqual(expected.sort());
    expect([bill.bomFormat, bill.components[0].purl]).toEqual(['CycloneDX', expect.stringMatching(/^pkg:npm\//)]);
    // CycloneDX: each reference is the one of a component.
    const known = [bill.metadata.component['bom-ref'], ...refs];
    for (const { ref, dependsOn } of bill.dependencies)
      expect([ref, ...dependsOn].filter(name => !known.includes(name))).toEqual([]);
  });

  it('fails without a bundle', async () => {
    const folder = await newFolder();
    expect(await sbom(folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no source map of a bundle'),
    });
  });
});
