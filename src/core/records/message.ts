/** The kind `message`: a message of a conversation, as it began. */
import { lazily } from '../lazily.ts';
import { messageSchema } from '../message.ts';
import type { Zod } from '../schema.ts';
import { ID, PART, place, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOfAny } from './words.ts';

export const message = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('message'), message: messageSchema(z) }),
  structure: lazily(() =>
    recordPlace({}, { message: place({ id: ID, role: WORD }, { parts: PART(), metadata: place({ parent_id: ID }) }) }),
  ),
  counted: 'messages',
  nouns: ['message', 'messages'],
  squash: 'stays',
  line: (record) => lineOfAny(record),
} satisfies RecordKind;
