/** The kind `part`: what a message gained while it streamed; the highest `seq` of a part counts. */
import { lazily } from '../lazily.ts';
import { partSchema } from '../message.ts';
import { filledText, wholeNumber, type Zod } from '../schema.ts';
import { ID, PART, recordPlace } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOfAny } from './words.ts';

export const part = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('part'),
      message_id: filledText(z),
      part_id: filledText(z),
      seq: wholeNumber(z),
      part: partSchema(z),
    }),
  structure: lazily(() => recordPlace({ message_id: ID, part_id: ID }, { part: PART() })),
  squash: 'stays',
  line: (record) => lineOfAny(record),
} satisfies RecordKind;
