/** The kind `read`: a file was read. */
import type { Zod } from '../schema.ts';
import type { RecordKind } from './kind.ts';
import { contentFields, digestPath, OF_FILE } from './of-file.ts';

export const read = {
  ...OF_FILE,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('read'), ...contentFields(z) }),
  nouns: ['file read', 'files read'],
  digest: (digest, record) => digestPath(digest, record, 'read'),
} satisfies RecordKind;
