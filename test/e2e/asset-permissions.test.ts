import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const outdir = await mkdtemp(join(tmpdir(), 'petstore-assets-'));
afterAll(() => rm(outdir, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the assets', () => {
  it('are readable for Lambda with any umask', async () => {
    // As the CDK CLI runs the app: with the context of cdk.json and `-c`.
    const { context } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8'));
    const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) };
    const app = `umask 077 && exec "${process.execPath}" cdk/app.ts`;
    await promisify(execFile)('sh', ['-c', app], { cwd: root, env });

    expect(await modeOf(join(outdir, 'petstore-dev.template.json')), 'the umask took effect').toBe('600');
    const assets = (await readdir(outdir)).filter(name => name.startsWith('asset.') && !name.endsWith('.map'));
    expect(assets.length).toBeGreaterThan(20);
    for (const asset of assets) {
      expect(await modeOf(join(outdir, asset)), asset).toBe('755');
      const files = await readdir(join(outdir, asset), { recursive: true });
      expect(files).toContain('index.mjs');
      for (const file of files) expect(await modeOf(join(outdir, asset, file)), `${asset}/${file}`).toBe('644');
    }
  });
});
