/** The kind `delete`: a file is gone. */
import { filledText, type Zod } from '../schema.ts';
import type { RecordKind } from './kind.ts';
import { digestPath, OF_FILE } from './of-file.ts';

export const deleted = {
  ...OF_FILE,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('delete'), path: filledText(z) }),
  nouns: ['file deleted', 'files deleted'],
  digest: (digest, record) => digestPath(digest, record, 'delete'),
} satisfies RecordKind;
