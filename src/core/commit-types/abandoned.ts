/** The type `Abandoned`: the session was given up. */
import type { Zod } from '../schema.ts';
import { oneLine } from '../text.ts';
import { type CommitTypeRow, WITHOUT_FIELDS } from './type.ts';

const schema = (z: Zod) => z.object({ kind: z.literal('Abandoned') });

export const abandoned = {
  ...WITHOUT_FIELDS,
  schema,
  storedSchema: schema,
  option: 'abandoned',
  make: () => ({ kind: 'Abandoned' as const }),
  ending: (_type, state) =>
    state.kind === 'Aborted' && state.reason ? `Abandoned: ${oneLine(state.reason)}` : 'Abandoned.',
} satisfies CommitTypeRow;
