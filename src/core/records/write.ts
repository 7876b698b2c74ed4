/** The kind `write`: a file was written. */
import { wholeNumber, type Zod } from '../schema.ts';
import type { RecordKind } from './kind.ts';
import { contentFields, digestPath, OF_FILE } from './of-file.ts';

export const write = {
  ...OF_FILE,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('write'),
      ...contentFields(z),
      /** The lines of the content that were written: the first of each range, from 1, and their count. Without it all may be. */
      written_lines: z.optional(z.array(z.array(wholeNumber(z)).check(z.minLength(2)))),
    }),
  nouns: ['file written', 'files written'],
  digest: (digest, record) => digestPath(digest, record, 'write'),
} satisfies RecordKind;
