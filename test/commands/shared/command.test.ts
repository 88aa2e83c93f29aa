import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../../cdk/command.ts';
import { runInProcess } from '../../support/in-process.ts';

const audit = (...args: string[]) => runInProcess('cdk/commands/audit/index.ts', args);

describe('the command line', () => {
  it('prints the usage to stdout for --help', async () => {
    for (const option of ['--help', '-h'])
      expect(await audit(option)).toMatchObject({
        code: 0,
        out: expect.stringContaining('npm run audit -- '),
        err: '',
      });
  });

  it.each([
    ['--unknown', "Unknown option '--unknown'"],
    ['argument', "Unexpected argument 'argument'"],
  ])('prints what is wrong with %s, and the usage, to stderr', async (argument, message) => {
    const { code, out, err } = await audit(argument);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
    expect(err).toContain('npm run audit -- ');
  });

  it.each([
    ['0', false],
    ['1', true],
    ['999999', true],
    ['1000000', false],
    ['1.5', false],
    ['-1', false],
  ])('accepts a whole number above 0 as a rate: %s', async (rate, isAccepted) => {
    const { code, err } = await audit(`--rate=${rate}`);
    expect(code).toBe(2);
    expect(err).toContain(isAccepted ? 'Which stage?' : `--rate ${rate} is not a number from 1 to 999999.`);
    expect(err).toContain('npm run audit -- ');
  });

  /** What a command prints to stderr. Its exit is an exception. */
  const spyOnErrors = () => {
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(process, 'exit').mockImplementation(code => {
      throw new Error(`exit ${code}`);
    });
    return vi.spyOn(console, 'error').mockReturnValue();
  };

  it.each([
    [new Error('It failed'), 'It failed', undefined],
    [
      Object.assign(new Error('It failed'), { name: 'AccessDeniedException' }),
      'It failed',
      'These credentials have no',
    ],
    [
      new Error('Busy', { cause: Object.assign(new Error('Denied'), { name: 'ExpiredTokenException' }) }),
      'Busy: Denied',
      'The AWS credentials have expired. Sign in again.',
    ],
    [new Error('Busy', { cause: new Error('Region is missing') }), 'Busy: Region is missing', 'Name the region: AWS_'],
    [
      new Error('Busy', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }),
      'Busy: ECONNREFUSED',
      undefined,
    ],
  ])('prints the messages of an error and its causes, and what to do: %s', async (error, message, remedy) => {
    const print = spyOnErrors();
    await expect(commandOf('usage').run(async () => Promise.reject(error))).rejects.toThrow('exit 1');
    const [first, line, ...rest] = String(print.mock.calls[0]).split('\n');
    expect([first, line?.slice(0, remedy?.length), rest]).toEqual([message, remedy, []]);
  });

  it('prints the name of an error that has no message', async () => {
    const print = spyOnErrors();
    const work = async () => Promise.reject(Object.assign(new Error(), { name: 'TimeoutError' }));
    await expect(commandOf('usage', { unable: 2 }).run(work, 'The audit failed')).rejects.toThrow('exit 2');
    await expect(commandOf('usage').run(work)).rejects.toThrow('exit 1');
    expect(print.mock.calls).toEqual([['The audit failed: TimeoutError'], ['TimeoutError']]);
  });
});
