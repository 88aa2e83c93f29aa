import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** A JSON object that rejects unknown fields. */
export const strictObject = <S extends z.core.$ZodShape>(shape: S) => z.strictObject(shape, expected('an object'));
