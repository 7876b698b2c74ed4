/** The kind `choice`: ctx asked a question of its own; `message` is the message of the user that raised it. */
import { lazily } from '../lazily.ts';
import type { Zod } from '../schema.ts';
import { recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const choice = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('choice'), choice: z.string(), message: z.string() }),
  batch: 'carried',
  structure: lazily(() => recordPlace({ choice: WORD })),
  isActivity: false,
  // The message is in no other record if the question was never answered.
  line: (record) => lineOf(record, [record.choice, fieldInWords(record.message)].filter(Boolean).join(': ')),
} satisfies RecordKind;
