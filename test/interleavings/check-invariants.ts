import { violationsOfChange } from '../../lib/model/invariants.ts';
import { hasInvariants, violationsOfItem } from '../../lib/model/item-invariants.ts';
import { canonical } from './canonical.ts';
import type { Change } from './check-events.ts';

const checked = new Set<string>();

/** What the publisher checks of every change (`violationsOfChange`), and of idempotency records, which it does not get. */
export const checkInvariants = ({ before, item, key }: Change) => {
  if (checked.has(key)) return;
  const ofRecord = item && hasInvariants(item) ? violationsOfItem(item, 1) : [];
  const names = [...violationsOfChange(before, item, 1), ...ofRecord].map(({ invariant }) => invariant);
  if (names.length > 0) throw new Error(`Violates ${[...new Set(names)].join(', ')}: ${canonical([before, item])}`);
  checked.add(key);
};
