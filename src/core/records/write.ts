/** The kind `write`: a file was written. */
import type { Zod } from '../schema.ts';
import type { RecordKind } from './kind.ts';
import { contentFields, digestPath, OF_FILE } from './of-file.ts';

export const write = {
  ...OF_FILE,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('write'), ...contentFields(z) }),
  nouns: ['file written', 'files written'],
  digest: (digest, record) => digestPath(digest, record, 'write'),
} satisfies RecordKind;
