import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Command } from './dynamodb/in-memory.ts';

/**
 * A fault of one call.
 * - `conflict`, `throttle`: rejected without effect.
 * - `cutBefore`, `cutAfter`: the connection breaks before the request arrives, or before the response does.
 * - `late`: the caller aborts it at its timeout, and it arrives afterwards, at any step.
 * - `unreported`: of the rejected writes of a transaction only one is reported, or no item is returned.
 */
export const faultKinds = ['conflict', 'throttle', 'cutBefore', 'cutAfter', 'late', 'unreported'] as const;
export type Fault = (typeof faultKinds)[number];

export interface Faults {
  readonly kinds: readonly Fault[];
  /** The maximum number of faults in one run. */
  readonly max: number;
  /** The kinds that can also hit all further calls of an operation. */
  readonly permanent: readonly Fault[];
}

export const noFaults: Faults = { kinds: [], max: 0, permanent: [] };

export const textOfFault: Record<Exclude<Fault, 'unreported'>, string> = {
  conflict: 'is rejected with TransactionConflict',
  throttle: 'is throttled',
  cutBefore: 'is lost before it arrives',
  cutAfter: 'is executed, but its response is lost',
  late: 'times out',
};

/** Whether a permanent fault of this kind commutes with all other steps, so that it can be injected at once. */
export const hasNoEffect = (fault: Fault): boolean => ['conflict', 'throttle', 'cutBefore'].includes(fault);

export const isWrite = (command: Command): command is TransactWriteCommand => command instanceof TransactWriteCommand;

/** The other faults make a difference for writes only: a lost or late read has no effect. */
export const canInject = (fault: Fault, command: Command): boolean =>
  isWrite(command) || fault === 'throttle' || fault === 'cutBefore';

// The errors that the SDK throws.
export const connectionLost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
export const requestAborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });
