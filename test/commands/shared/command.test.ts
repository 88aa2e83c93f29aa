import { expect, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../../cdk/command.ts';
import { runInProcess } from '../../support/in-process.ts';

const audit = (...args: string[]) => runInProcess('cdk/commands/audit/index.ts', args);

it('a command prints its usage to stdout for --help, and to stderr after what is wrong', async () => {
  const usage = expect.stringContaining('npm run audit -- ');
  for (const option of ['--help', '-h']) expect(await audit(option)).toMatchObject({ code: 0, out: usage, err: '' });
  expect(await audit('--unknown')).toMatchObject({ code: 2, out: '', err: usage });
});

const named = (name: string, message = '') => Object.assign(new Error(message), { name });
const busy = (cause: Error) => new Error('Busy', { cause });
it.each([
  [new Error('It failed'), 'It failed', undefined],
  [named('AccessDeniedException', 'It failed'), 'It failed', 'These credentials have no'],
  [busy(named('ExpiredTokenException', 'Denied')), 'Busy: Denied', 'The AWS credentials have expired. Sign in again.'],
  [busy(new Error('Region is missing')), 'Busy: Region is missing', 'Name the region: AWS_'],
  [busy(Object.assign(new Error(''), { code: 'ECONNREFUSED' })), 'Busy: ECONNREFUSED', undefined],
  [named('TimeoutError'), 'TimeoutError', undefined],
])('a command prints the messages of an error and its causes, and what to do: %s', async (error, message, remedy) => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(process, 'exit').mockImplementation(code => {
    throw new Error(`exit ${code}`);
  });
  const print = vi.spyOn(console, 'error').mockReturnValue();
  const work = async () => Promise.reject(error);
  await expect(commandOf('usage').run(work)).rejects.toThrow('exit 1');
  await expect(commandOf('usage', { unable: 2 }).run(work, 'The audit failed')).rejects.toThrow('exit 2');
  const [first, line, ...rest] = String(print.mock.calls[0]).split('\n');
  expect([first, line?.slice(0, remedy?.length), rest]).toEqual([message, remedy, []]);
  expect(String(print.mock.calls[1]).split('\n')[0]).toBe(`The audit failed: ${message}`);
});
