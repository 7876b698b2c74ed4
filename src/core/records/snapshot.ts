/** The kind `snapshot`: the files of the work tree were kept as a Git tree, at a message of the user, the end of a turn, or a rewind. */
import { lazily } from '../lazily.ts';
import { filledText, type Zod } from '../schema.ts';
import { ID, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const snapshot = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('snapshot'),
      point: z.enum(['message', 'turn_end', 'rewind']),
      /** The id of the tree, or what the program of a host calls its own snapshot. */
      snapshot_id: filledText(z),
      /** The program of a host has taken it. */
      by: z.optional(z.literal('host')),
      /** The message that it belongs to, if its id was known; else the beginning of its words, as `wordsPrint` prints it. */
      message_id: z.optional(filledText(z)),
      words: z.optional(filledText(z)),
      /** The record of the snapshot that this one repeats, in the session that a branch began at. */
      copy_of: z.optional(filledText(z)),
    }),
  batch: 'refused',
  structure: lazily(() =>
    recordPlace({ point: WORD, snapshot_id: ID, by: WORD, message_id: ID, words: ID, copy_of: ID }),
  ),
  isActivity: false,
  isDated: () => false,
  squash: 'stays',
  line: (record) => lineOf(record, fieldInWords(record.snapshot_id)),
} satisfies RecordKind;
