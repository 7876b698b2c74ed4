/** The kind `permission`: an agent asked whether it may do something, or was answered; the fields are the agent's own, or those of an answer of ctx. */
import { lazily } from '../lazily.ts';
import type { Zod } from '../schema.ts';
import { ID, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf, lineOfAny } from './words.ts';

export const permission = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('permission') }),
  structure: lazily(() => recordPlace({ verdict: WORD, call_id: ID })),
  // An answer of ctx has a verdict.
  line: (record) =>
    record.verdict === undefined
      ? lineOfAny(record)
      : lineOf(
          record,
          `${fieldInWords(record.verdict)} ${fieldInWords(record.tool)} ${fieldInWords(record.use)}`.trim(),
        ),
} satisfies RecordKind;
