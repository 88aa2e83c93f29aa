import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { extraFiles } from '../build/bundle/extra-files.ts';
import { commandOf } from './shared/command.ts';

const usage = `npm run sbom [-- FOLDER]
Writes FOLDER/sbom.json: the npm packages in the bundles of a synthesized assembly, as a CycloneDX bill of materials.
  FOLDER   the assembly, or a folder of assemblies (default cdk.out)
  --help   prints this`;

const root = join(import.meta.dirname, '../..');

const { fail, readOptions, run } = commandOf(usage);
const {
  positionals: [folder = join(root, 'cdk.out')],
} = readOptions({}, { allowPositionals: true });

/** The folder of the package of a file, or undefined for a file of this project. */
const packageOf = (file: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/'))?.[0];

/** The source files in the bundles, from their source maps, and the files that are deployed as they are. */
const deployedFiles = (): string[] => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const maps = names.filter(name => /asset\.[0-9a-f]{64}\.map$/.test(name));
  if (maps.length === 0) fail(`${folder} has no source map of a bundle. Run "npm run synth" first.`);
  const sources = maps.flatMap(map => JSON.parse(readFileSync(join(folder, map), 'utf8')).sources as string[]);
  const copied = Object.values(extraFiles).flatMap(files => Object.values(files));
  return [...sources, ...copied.filter(file => typeof file === 'string').map(file => relative(root, file))];
};

interface Bill {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

await run(async () => {
  const packages = new Set(deployedFiles().flatMap(file => packageOf(file) ?? []));
  const refs = new Set(
    [...packages].map(path => {
      const { name, version } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      return `${name}@${version}`;
    }),
  );
  // `--omit dev` would also omit packages that both functions and development dependencies need.
  const everything = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const bill: Bill = JSON.parse(everything);
  const components = bill.components.filter(component => refs.has(component['bom-ref']));
  if (components.length < refs.size) fail('package-lock.json lacks a package of the bundles. Run "npm ci".');
  refs.add(bill.metadata.component['bom-ref']);
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(other => refs.has(other)) }));
  writeFileSync(join(folder, 'sbom.json'), `${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`);
  console.log(`${join(folder, 'sbom.json')}: ${components.length} packages`);
});
