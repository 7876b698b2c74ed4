/** The kind `usage`: what a call of a model used. */
import { usageSchema } from '../message.ts';
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOf } from './words.ts';

export const usage = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('usage'),
      usage: usageSchema(z),
      /** State of the window of the model then, as the agent says. */
      window: z.optional(z.looseObject({ used: z.number(), size: z.number() })),
      /** Part of the cost of the session that no message says. */
      cost_usd: z.optional(z.number()),
    }),
  structure: BARE,
  line: (record) => {
    const counts = Object.entries(record.usage ?? {});
    return lineOf(record, counts.map(([name, tokens]) => `${tokens} ${name}`).join(', '));
  },
} satisfies RecordKind;
