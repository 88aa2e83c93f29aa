import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import type { Petstore } from './petstore.ts';
import { read, root } from './project.ts';

const [, commands = ''] = /```sh\n(mkdir shop .*?)```/s.exec(read('README.md')) ?? [];

const link = `mkdir node_modules && ln -s '${root}/node_modules/openapi-fetch' node_modules`;

/** Made by the README's commands for the typed client. @param install in place of `npm i`, which needs a network */
export const clientFolder = async ({ url }: Petstore, install = link): Promise<string> => {
  const folder = tempFolder('client');
  const script = commands
    .replace('npm i openapi-fetch', install)
    .replaceAll('http://127.0.0.1:3000', url);
  await promisify(execFile)('bash', ['-e', '-c', script], { cwd: folder });
  return join(folder, 'shop');
};
