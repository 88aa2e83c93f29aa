import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { WrongUse } from './stage.ts';

const remedies: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'The stack’s outputs name table and bus; --region says where they are.',
  QueueDoesNotExist:
    'The stack’s outputs name its queues (KeptRecordsUrl, DeadLettersUrl); --region says where they are.',
  CredentialsProviderError: 'There are no AWS credentials here: set AWS_PROFILE, or sign in.',
};

/**
 * Runs a command: `--help` says what it does, and whatever goes wrong is said in a sentence.
 * @param run gives what the process exits with; 2 when it could not do its work at all
 */
export const runCommand = async <O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  run: (values: ReturnType<typeof parseArgs<{ options: O }>>['values']) => Promise<number>,
): Promise<void> => {
  try {
    const help = { type: 'boolean', short: 'h' } as const;
    const values: { help?: unknown } = parseArgs({ options: { ...options, help } }).values;
    if (values.help) console.log(usage);
    else process.exitCode = await run(values as never);
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    const isMisused = error instanceof WrongUse || code?.startsWith('ERR_PARSE_ARGS');
    console.error([message || name, isMisused ? usage : remedies[name]].filter(Boolean).join('\n'));
    process.exitCode = 2;
  }
};

/** A positive number of an option. @throws {WrongUse} */
export const numberOf = (name: string, text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new WrongUse(`--${name} ${text} is not a number from 1 to 999999.`);
};
