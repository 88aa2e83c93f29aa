import type { Mutant } from '../mutant.ts';
import { ofTheEvents } from './events.ts';
import { ofTheChain } from './http.ts';
import { ofTheModel } from './model.ts';
import { ofTheSchemas } from './schemas.ts';
import { ofTheStack } from './stack.ts';
import { ofTheTable } from './table.ts';
import { ofVerify } from './verify.ts';

export const mutants: readonly Mutant[] = [...ofTheTable, ...ofTheModel, ...ofTheSchemas, ...ofTheChain, ...ofTheEvents, ...ofTheStack, ...ofVerify];
