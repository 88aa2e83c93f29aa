import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** What only webhooks need. `x-webhooks` documents all events. */
const ofWebhooks =
  /(?<!x-)webhook|queueMapping|queue-?poller|queueUrlOf|secretsmanager|secrets-manager|secrets_?endpoint|getSecretValue|prices\.(secret|queue)|(secret|queue)(Request|Month):/i;

it('CONTRIBUTING names every file that webhooks are in, beside tests and texts', () => {
  const [, deleted, changed] = /## To take out webhooks.*?\n1\. (.*?)\n2\. (.*?)\n3\. /s.exec(
    read('.github/CONTRIBUTING.md'),
  )!;
  const listed = (text: string, folder: string) => {
    const patterns = Array.from(
      text.matchAll(/`([^`]+)`/g),
      ([, path]) => folder + path!.replace(/\/$/, '/**/*.ts'),
    );
    return patterns.flatMap(pattern => globSync(pattern, { cwd: root }));
  };
  const [atRoot, inCdk] = changed!.split('in `cdk/`:') as [string, string];
  const gone = new Set(listed(deleted!, ''));
  const sources = [
    ...globSync('{lib,functions,cdk}/**/*.ts', { cwd: root, exclude: ['cdk/openapi/paths.ts'] }),
    'package.json',
  ];
  const left = sources.filter(file => !gone.has(file) && ofWebhooks.test(read(file)));
  expect(left.sort()).toEqual([...listed(atRoot, ''), ...listed(inCdk, 'cdk/')].sort());
});
