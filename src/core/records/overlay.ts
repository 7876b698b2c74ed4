/** The kind `overlay`: what the model no longer sees, or sees again; a later overlay can always take it back. */
import { lazily } from '../lazily.ts';
import { filledText, type Zod } from '../schema.ts';
import { ID, place, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const overlay = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('overlay'),
      op: z.enum(['hide', 'show', 'prune', 'unprune']),
      ids: z.optional(z.array(filledText(z))),
      range: z.optional(z.looseObject({ from: filledText(z), to: filledText(z) })),
      reason: z.optional(z.string()),
    }),
  structure: lazily(() => recordPlace({ op: WORD, ids: ID }, { range: place({ from: ID, to: ID }) })),
  squash: 'stays',
  line: (record) => lineOf(record, fieldInWords(record.op)),
} satisfies RecordKind;
