import type { OnResult } from './run-check.ts';

/** One part of a run: a check, an open question or a measurement. */
export interface RunStep {
  readonly name: string;
  /** It creates something on the stage that must be removed. */
  readonly writes?: boolean;
  /** Later steps of its list may need what it creates or notes. */
  readonly leaves?: boolean;
  /** It needs what earlier steps of its list create or note. */
  readonly needsEarlier?: boolean;
  readonly run: (onResult: OnResult) => Promise<void>;
}

interface PlannedStep extends RunStep {
  /** Otherwise another step needs it. */
  readonly isNamed: boolean;
}

/**
 * The steps with one of these texts in their names, and before them what they need: every earlier step of the same list
 * that creates something. So each step finds the stage as in a complete run. Without names: all steps.
 * @throws when no name contains one of the texts
 */
export const plan = (lists: readonly (readonly RunStep[])[], only: readonly string[] = []): PlannedStep[] => {
  const has = ({ name }: RunStep, text: string) => name.toLowerCase().includes(text.toLowerCase());
  const all = lists.flat();
  const unknown = only.filter(text => !all.some(step => has(step, text)));
  if (unknown.length > 0)
    throw new Error(
      `No check of this run has ${unknown.map(text => `"${text}"`).join(' or ')} in its name. The checks are:\n${all.map(({ name }) => `  ${name}`).join('\n')}`,
    );
  const isNamed = (step: RunStep) => only.length === 0 || only.some(text => has(step, text));
  return lists.flatMap(steps => {
    const last = steps.findLastIndex(step => isNamed(step) && step.needsEarlier);
    return steps
      .map(step => ({ ...step, isNamed: isNamed(step) }))
      .filter((step, index) => step.isNamed || (step.leaves && index < last));
  });
};
