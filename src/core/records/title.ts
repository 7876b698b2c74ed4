/** The kind `title`: what the user calls the session; empty if the title that ctx derives counts again. */
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const title = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('title'), content: z.string() }),
  batch: 'refused',
  structure: BARE,
  isActivity: false,
  isDated: () => false,
  headline: 'Title: ',
  squash: 'stays',
  line: (record) => lineOf(record, fieldInWords(record.content)),
} satisfies RecordKind;
