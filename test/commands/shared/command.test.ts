import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../../cdk/commands/shared/command.ts';
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
    expect(err).toContain(isAccepted ? 'Which table?' : `--rate ${rate} is not a number from 1 to 999999.`);
    expect(err).toContain('npm run audit -- ');
  });

  it('prints what to do when no server listens at an endpoint', async () => {
    const environment = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
      AWS_MAX_ATTEMPTS: '1',
    };
    const { code, err } = await runInProcess(
      'cdk/commands/audit/index.ts',
      ['--table', 't', '--shards', '1'],
      environment,
    );
    expect([code, err]).toEqual([2, expect.stringMatching(/^The audit failed: .+\nNothing listens there\./)]);
  });

  it('prints the name of an error that has no message', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const print = vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(process, 'exit').mockImplementation(code => {
      throw new Error(`exit ${code}`);
    });
    const work = async () => Promise.reject(Object.assign(new Error(), { name: 'TimeoutError' }));
    await expect(commandOf('usage', { unable: 2 }).run(work, 'The audit failed')).rejects.toThrow('exit 2');
    await expect(commandOf('usage').run(work)).rejects.toThrow('exit 1');
    expect(print.mock.calls).toEqual([['The audit failed: TimeoutError'], ['TimeoutError']]);
  });
});
