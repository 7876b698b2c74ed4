/** The kind `overlay`: what the model no longer sees, or sees again; a later overlay can always take it back. */
import { lazily } from '../lazily.ts';
import { filledText, type Zod } from '../schema.ts';
import { ID, place, recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const overlay = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('overlay'),
      op: z.enum(['hide', 'show', 'prune', 'unprune']),
      ids: z.optional(z.array(filledText(z))),
      range: z.optional(z.looseObject({ from: filledText(z), to: filledText(z) })),
      reason: z.optional(z.string()),
      /** The command of ctx that recorded it, and the id that all overlays of one run of it share. */
      by: z.optional(filledText(z)),
      act: z.optional(filledText(z)),
      /** The act that is taken back. */
      of: z.optional(filledText(z)),
      /** The message that the command was about. */
      to: z.optional(filledText(z)),
      /** The trees of the files before and after, if it has changed the work tree; or the snapshots of a host. */
      world: z.optional(
        z.looseObject({ from: z.optional(filledText(z)), to: filledText(z), by: z.optional(z.literal('host')) }),
      ),
    }),
  structure: lazily(() =>
    recordPlace(
      { op: WORD, ids: ID, by: WORD, act: ID, of: ID, to: ID },
      {
        range: place({ from: ID, to: ID }),
        world: place({ from: ID, to: ID, by: WORD }),
      },
    ),
  ),
  digest: (digest, { by, op, ids }) => {
    if (by === 'rewind' && op === 'hide' && Array.isArray(ids) && ids.length > 0)
      digest.rewound = digest.conversation.length;
    else if (by === 'unrewind' || by === 'undo') digest.rewound = 0;
  },
  squash: 'stays',
  line: (record) => lineOf(record, fieldInWords(record.op)),
} satisfies RecordKind;
