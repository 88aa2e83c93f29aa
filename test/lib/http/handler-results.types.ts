import { handle } from '../../../lib/http/handle.ts';
import { createPet } from '../../../lib/operations/createPet.ts';
import { deletePet } from '../../../lib/operations/deletePet.ts';
import { getDocs } from '../../../lib/operations/getDocs.ts';
import { getPet } from '../../../lib/operations/getPet.ts';
import { listPets } from '../../../lib/operations/listPets.ts';
import { operation } from '../../../lib/operations/operation.ts';
import { Pet } from '../../../lib/schemas/pet.ts';

// Results that handlers must not return. Only the compiler checks this file (npm run check); nothing here runs. The handlers in
// functions/ show that correct results compile.

declare const tom: Pet;
declare const withoutStatus: Omit<Pet, 'status'>;

// @ts-expect-error a handler does not return status and body
handle(getPet)(async () => ({ status: 418, body: { nope: true } }));
// @ts-expect-error a pet has a status
handle(getPet)(async () => withoutStatus);
// @ts-expect-error a resource is not a page
handle(getPet)(async () => ({ items: [tom] }));
// @ts-expect-error a list does not return one item
handle(listPets)(async () => tom);
// @ts-expect-error a list does not return a bare array
handle(listPets)(async () => [tom]);
// @ts-expect-error a write returns whether its result is a replay
handle(createPet)(async () => tom);
// @ts-expect-error 204 has no body
handle(deletePet)(async () => ({ result: tom, replayed: false }));
// @ts-expect-error a file is not JSON
handle(getDocs)(async () => ({ openapi: '3.0.3' }));
// @ts-expect-error a file of another media type
handle(getDocs)(async () => ({ content: '', type: 'text/css' as const, policy: '' }));

const shape = { id: 'x', method: 'POST', path: '/x', access: 'public', request: {} } as const;
// @ts-expect-error a 201 needs a Location
operation({ ...shape, responses: { 201: Pet } });
// @ts-expect-error 418 is not a success
operation({ ...shape, responses: { 418: Pet } });
