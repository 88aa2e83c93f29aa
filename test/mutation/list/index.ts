import type { Mutant } from '../mutant.ts';
import { ofTheCommands } from './commands.ts';
import { ofTheEvents } from './events.ts';
import { ofTheLocalGateway } from './gateway.ts';
import { ofTheChain } from './http.ts';
import { ofTheModel } from './model.ts';
import { ofTheOperations } from './operations.ts';
import { ofTheSchemas } from './schemas.ts';
import { ofTheStack } from './stack.ts';
import { ofTheTable } from './table.ts';
import { ofVerify } from './verify.ts';
import { ofTheWebhooks } from './webhooks.ts';

export const mutants: readonly Mutant[] = [...ofTheTable, ...ofTheModel, ...ofTheSchemas, ...ofTheOperations, ...ofTheChain, ...ofTheEvents, ...ofTheStack, ...ofTheLocalGateway, ...ofTheCommands, ...ofVerify, ...ofTheWebhooks];
