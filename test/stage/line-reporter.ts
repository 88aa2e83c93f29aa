import { stripVTControlCharacters } from 'node:util';
import type { Reporter } from 'vitest/node';

/** The first line, and the first expected and received lines that differ. A whole document would be too long. */
const firstDifference = ({
  message,
  diff = '',
}: {
  message: string;
  diff?: string | undefined;
}): string => {
  const lines = stripVTControlCharacters(diff).split('\n');
  const signs = [/^- (?!Expected)/, /^\+ (?!Received)/];
  const differences = signs.flatMap(sign => lines.find(line => sign.test(line)) ?? []);
  return [message.split('\n')[0]!, ...differences]
    .map(line => line.slice(0, 200))
    .join('\n          ');
};

/**
 * A line for each selected test, with its last request, and counts of the outcomes.
 * @param observed the outcome of tests that answer an open question @param printsSkipped also those without a reason
 */
export const lineReporter = (observed: 'observed' | 'local', printsSkipped: boolean) => {
  const counts: Record<string, number> = { ok: 0, [observed]: 0, FAILED: 0, skipped: 0 };
  const print = (outcome: string, name: string, text = ''): void => {
    counts[outcome]!++;
    console.log(`${outcome.padEnd(9)} ${name}${text && `: ${text}`}`);
  };
  const reporter: Reporter = {
    onTestCaseResult: test => {
      const result = test.result();
      const { state, errors = [] } = result;
      const { request = '', answer } = test.meta();
      const name = `${test.fullName}${request && ` [${request.slice(0, 100)}]`}`;
      if (state === 'failed') print('FAILED', name, errors[0] && firstDifference(errors[0]));
      else if (state !== 'skipped') print(answer ? observed : 'ok', name, answer);
      else if (result.note || printsSkipped) print('skipped', name, result.note);
    },
    onTestRunEnd: (modules, unhandled) => {
      for (const module of modules)
        for (const error of module.errors())
          print('FAILED', module.relativeModuleId, firstDifference(error));
      for (const error of unhandled)
        print('FAILED', 'outside of the tests', firstDifference(error));
    },
  };
  return { counts, print, reporter };
};
