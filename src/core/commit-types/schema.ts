/** Declares the format of a stored commit type, of a newer ctx too. */
import type * as zod from 'zod/mini';
import type { Zod } from '../schema.ts';
import { COMMIT_TYPES, mayBeNewer, type StoredCommitType } from './table.ts';

/** Any type; of a type that this ctx does not know, only the name is looked at. */
export const storedCommitTypeSchema = (z: Zod) =>
  z.union([
    ...Object.values(COMMIT_TYPES).map((row) => row.storedSchema(z)),
    z.looseObject({ kind: z.string().check(z.refine(mayBeNewer)) }),
  ]) as unknown as zod.ZodMiniType<StoredCommitType>;
