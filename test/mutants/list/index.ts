import type { Mutant } from '../mutant.ts';
import { ofTheTable } from './table.ts';

export const mutants: readonly Mutant[] = [...ofTheTable];
