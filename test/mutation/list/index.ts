import type { Mutant } from '../mutant.ts';
import { commandMutants } from './commands.ts';
import { eventMutants } from './events.ts';
import { gatewayMutants } from './gateway.ts';
import { httpMutants } from './http.ts';
import { modelMutants } from './model.ts';
import { operationMutants } from './operations.ts';
import { schemaMutants } from './schemas.ts';
import { stackMutants } from './stack.ts';
import { tableMutants } from './table.ts';
import { verifyMutants } from './verify.ts';
import { webhookMutants } from './webhooks.ts';

export const mutants: readonly Mutant[] = [...tableMutants, ...modelMutants, ...schemaMutants, ...operationMutants, ...httpMutants, ...eventMutants, ...stackMutants, ...gatewayMutants, ...commandMutants, ...verifyMutants, ...webhookMutants];
