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
      AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:9',
      AWS_MAX_ATTEMPTS: '1',
    };
    const { code, err } = await runInProcess('cdk/commands/audit/index.ts', ['--stage', 'prod'], environment);
    expect([code, err]).toEqual([2, expect.stringMatching(/^The audit failed: .+\nNothing listens there\./)]);
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
    [
      { name: 'CredentialsProviderError' },
      'No AWS credentials were found. Name a profile (--profile, AWS_PROFILE), or',
    ],
    [{ name: 'ExpiredTokenException' }, 'The AWS credentials have expired. Sign in again.'],
    [{ name: 'ResourceNotFoundException' }, 'It does not exist in this region and account. Check --region, --profile'],
    [
      { name: 'QueueDoesNotExist' },
      'The queue does not exist in this region and account. Check --region and --profile.',
    ],
    [{ name: 'AccessDenied' }, 'These credentials have no permission for this call. --help lists the permissions'],
    [{ name: 'AccessDeniedException' }, 'These credentials have no permission for this call. --help lists the'],
    [{ code: 'ECONNREFUSED' }, 'Nothing listens there. The endpoints of this machine: curl -s http://127.0.0.1:3000/'],
    [{ message: 'Region is missing' }, 'Name the region: --region eu-west-1, or AWS_REGION.'],
    [{ name: 'OtherException' }, undefined],
  ])('prints the message of %j, and what to do', async (fields, remedy) => {
    const print = spyOnErrors();
    const error = Object.assign(new Error('It failed'), fields);
    await expect(commandOf('usage').run(async () => Promise.reject(error))).rejects.toThrow('exit 1');
    const [message, line, ...rest] = String(print.mock.calls[0]).split('\n');
    expect([message, line?.slice(0, remedy?.length), rest]).toEqual([error.message, remedy, []]);
  });

  it('prints the name of an error that has no message', async () => {
    const print = spyOnErrors();
    const work = async () => Promise.reject(Object.assign(new Error(), { name: 'TimeoutError' }));
    await expect(commandOf('usage', { unable: 2 }).run(work, 'The audit failed')).rejects.toThrow('exit 2');
    await expect(commandOf('usage').run(work)).rejects.toThrow('exit 1');
    expect(print.mock.calls).toEqual([['The audit failed: TimeoutError'], ['TimeoutError']]);
  });
});
