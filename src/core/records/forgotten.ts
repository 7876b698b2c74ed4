/** The kind `forgotten`: a tombstone for a record, or for a whole session. */
import { lazily } from '../lazily.ts';
import { unixSeconds, wholeNumber, type Zod } from '../schema.ts';
import { recordPlace, WORD } from '../structure.ts';
import { oneLine, plural } from '../text.ts';
import { showTime } from '../time.ts';
import { type RecordKind, SILENT } from './kind.ts';

export const forgotten = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('forgotten'),
      /** The kind of the record, or `session`. */
      was: z.string(),
      forgotten_at: unixSeconds(z),
      /** Of a session: how many steps and records it had. */
      steps: z.optional(wholeNumber(z)),
      records: z.optional(wholeNumber(z)),
    }),
  batch: 'carried',
  structure: lazily(() => recordPlace({ was: WORD })),
  line: ({ was, steps, records, forgotten_at }) => {
    const kind = typeof was === 'string' ? oneLine(was) : 'record';
    const size =
      typeof steps === 'number' && typeof records === 'number'
        ? ` of ${plural(steps, 'step')} and ${plural(records, 'record')}`
        : '';
    const when = typeof forgotten_at === 'number' ? `, on ${showTime(forgotten_at).slice(0, 10)}` : '';
    return `forgotten: ${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}${size}${when}`;
  },
} satisfies RecordKind;
