/** The kind `transition`: a move of the session; `by` is the verb. */
import { isObject } from '../json.ts';
import { lazily } from '../lazily.ts';
import { filledText, type Zod } from '../schema.ts';
import { sessionStateSchema } from '../state.ts';
import { recordPlace, STATE, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf, textOrPreview } from './words.ts';

export const transition = {
  ...SILENT,
  /**
   * Of a question, `of_tool` says that a tool has put it, within a turn, and `of_call` names that call, whose end brings the answer; the
   * notes of such a move have `of_call`, too. Of a confirmation, `said` is what the user said to the agent.
   */
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('transition'),
      from: sessionStateSchema(z),
      to: sessionStateSchema(z),
      by: filledText(z),
    }),
  batch: 'refused',
  structure: lazily(() => recordPlace({ by: WORD }, { from: STATE(), to: STATE() })),
  digest: (digest, { to }) => {
    if (isObject(to) && to.kind === 'PendingComplete') digest.summary = textOrPreview(to.summary);
  },
  line: (record) => lineOf(record, fieldInWords(record.by)),
} satisfies RecordKind;
