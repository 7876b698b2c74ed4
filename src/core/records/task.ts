/** The kind `task`: what a session is for. */
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const task = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('task'), content: z.string() }),
  batch: 'refused',
  structure: BARE,
  headline: 'Start: ',
  squash: 'stays',
  line: (record) => lineOf(record, fieldInWords(record.content)),
} satisfies RecordKind;
