/** The type `StaleAutoCompact`: the session was saved by itself, because it had been idle for too long. */
import { type Infer, wholeNumber, type Zod } from '../schema.ts';
import { durationInWords, fill } from '../text.ts';
import { type CommitTypeRow, WITHOUT_FIELDS } from './type.ts';

const schema = (z: Zod) => z.object({ kind: z.literal('StaleAutoCompact'), idle_duration_secs: wholeNumber(z) });
type StaleAutoCompact = Infer<typeof schema>;

/** Makes the type of a session that was idle. */
export const afterIdleness = (idle_duration_secs: number): StaleAutoCompact => ({
  kind: 'StaleAutoCompact',
  idle_duration_secs,
});

export const staleAutoCompact = {
  ...WITHOUT_FIELDS,
  schema,
  storedSchema: schema,
  option: 'stale',
  make: ({ idle }) => afterIdleness(idle()),
  message: ({ idle_duration_secs }: StaleAutoCompact, task, template) =>
    `${fill(template, { duration: durationInWords(idle_duration_secs), task })}: ${task}`,
  trailers: ({ idle_duration_secs }: StaleAutoCompact) => [['Ctx-Idle-Seconds', String(idle_duration_secs)]],
  ending: ({ idle_duration_secs }: StaleAutoCompact, { kind }) =>
    `Saved by itself after ${durationInWords(idle_duration_secs)} without activity (it was ${kind}).`,
  words: (type: Pick<StaleAutoCompact, 'kind'> & Partial<StaleAutoCompact>) =>
    type.idle_duration_secs === undefined
      ? type.kind
      : `${type.kind}, idle for ${durationInWords(type.idle_duration_secs)}`,
} satisfies CommitTypeRow;
