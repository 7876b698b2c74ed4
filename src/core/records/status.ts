/** The kind `status`: a session was paused, or became active again; `by` is what did it, `summary` where it stopped. */
import { lazily } from '../lazily.ts';
import { filledText, type Zod } from '../schema.ts';
import { recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const status = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('status'),
      from: z.enum(['active', 'paused']),
      to: z.enum(['active', 'paused']),
      by: filledText(z),
      summary: z.optional(z.string()),
    }),
  batch: 'refused',
  structure: lazily(() => recordPlace({ from: WORD, to: WORD, by: WORD })),
  isActivity: false,
  // Work begins again with it, unless a stopped session only changes hands.
  isDated: ({ to, by }) => to === 'active' && by !== 'stop',
  nouns: ['change of status', 'changes of status'],
  line: (record) =>
    lineOf(record, `${fieldInWords(record.to)} by ${fieldInWords(record.by)} ${fieldInWords(record.summary)}`.trim()),
} satisfies RecordKind;
