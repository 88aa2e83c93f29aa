import { describe, expect, it } from 'vitest';
import { logLine } from '../../../cdk/local/lambda/log-line.ts';

const logged = (message: unknown, ...more: unknown[]) => JSON.parse(logLine('error', 'r', message, ...more));
const stackTrace = expect.arrayContaining([expect.stringMatching(/^ {4}at /)]);

// Minified, as a class is in a bundle.
class $ extends Error {
  readonly query = 'q';
}

describe('a log line, as Lambda’s Node runtime writes it', () => {
  it('nests an object under `message`', () => {
    expect(logged({ status: 200 })).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'ERROR',
      requestId: 'r',
      message: { status: 200 },
    });
  });

  it('has the class name and enumerable fields of an error, and not its cause', () => {
    expect(logged(new $('broken', { cause: new Error('why') })).message).toEqual({
      errorType: '$',
      errorMessage: 'broken',
      stackTrace,
      query: 'q',
    });
  });

  it('formats several arguments as text, with the fields of the first error', () => {
    expect(logged('It is %s', 'broken', new $('badly'))).toMatchObject({
      message: expect.stringMatching(/^It is broken .*badly/),
      errorType: '$',
      errorMessage: 'badly',
      stackTrace,
    });
  });

  it('formats values that JSON does not support as text', () => {
    const loop: object[] = [];
    loop.push(loop);
    expect(logged(loop).message).toBe('<ref *1> [ [Circular *1] ]');
    expect(logged({ units: 1n }).message).toBe('{ units: 1n }');
  });
});
