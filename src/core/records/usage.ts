/** The kind `usage`: what a call of a model used. */
import { usageSchema } from '../message.ts';
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOf } from './words.ts';

export const usage = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('usage'), usage: usageSchema(z) }),
  structure: BARE,
  line: (record) => {
    const counts = Object.entries(record.usage ?? {});
    return lineOf(record, counts.map(([name, tokens]) => `${tokens} ${name}`).join(', '));
  },
} satisfies RecordKind;
