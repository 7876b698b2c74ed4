/** The kind `raw`: a line of a transcript that means nothing to its reader, or repeats what another line said. */
import { lazily } from '../lazily.ts';
import { anyJson, type Zod } from '../schema.ts';
import { ID, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOfAny } from './words.ts';

export const raw = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('raw'),
      agent: z.string(),
      /** The agent's name for such a line. */
      type: z.optional(z.string()),
      /** The number of the line in the transcript, from 1. */
      line: z.optional(z.number()),
      key: z.optional(z.nullable(z.string())),
      /** The id of the message that the line repeats. */
      repeats: z.optional(z.nullable(z.string())),
      /** The line, if it is JSON. */
      data: z.optional(anyJson(z)),
      /** The line, if it is no JSON. */
      text: z.optional(z.string()),
    }),
  batch: 'carried',
  structure: lazily(() => recordPlace({ agent: WORD, type: WORD, key: ID, repeats: ID })),
  line: (record) => lineOfAny(record),
} satisfies RecordKind;
