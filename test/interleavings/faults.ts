import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Command } from './dynamodb/in-memory.ts';

/**
 * What can happen to a call beside being carried out. `conflict`, `throttle`: refused, and nothing written. `cutBefore`,
 * `cutAfter`: the connection breaks before it arrives, or before its answer does. `late`: it is given up when its time
 * is over, and arrives afterwards, at any step. `unreported`: of several refused writes only one is told.
 */
export type Fault = 'conflict' | 'throttle' | 'cutBefore' | 'cutAfter' | 'late' | 'unreported';

export interface Faults {
  readonly kinds: readonly Fault[];
  /** How many may strike in one run. */
  readonly most: number;
  /** Those that also may strike all further calls of an operation. */
  readonly lasting: readonly Fault[];
}

export const noFaults: Faults = { kinds: [], most: 0, lasting: [] };

export const says: Record<Exclude<Fault, 'unreported'>, string> = {
  conflict: 'is refused for a TransactionConflict',
  throttle: 'is throttled',
  cutBefore: 'is lost on its way',
  cutAfter: 'is carried out, and its answer lost',
  late: 'stalls and is given up',
};

/** What a call that struck for good neither shows nor changes: it makes no difference to anybody when it is struck. */
export const isTraceless = (fault: Fault): boolean => ['conflict', 'throttle', 'cutBefore'].includes(fault);

export const isWrite = (command: Command): command is TransactWriteCommand => command instanceof TransactWriteCommand;

/** A read that is lost is lost: only a write can be carried out in vain, or late. */
export const canStrike = (fault: Fault, command: Command): boolean =>
  isWrite(command) || fault === 'throttle' || fault === 'cutBefore';

// As the SDK says it.
export const connectionLost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
export const givenUp = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });
