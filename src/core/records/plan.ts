/** The kind `plan`: how the agent means to do the task. */
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf, textOrPreview } from './words.ts';

export const plan = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('plan'), content: z.string() }),
  structure: BARE,
  counted: 'plans',
  nouns: ['plan', 'plans'],
  headline: 'Plan: ',
  digest: (digest, record) => {
    digest.notes.add(record);
    digest.plans.push(textOrPreview(record.content));
  },
  line: (record) => lineOf(record, fieldInWords(record.content)),
} satisfies RecordKind;
