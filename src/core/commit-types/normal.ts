/** The type `Normal`: the session was saved when it was complete, or by hand. */
import type { Zod } from '../schema.ts';
import { type CommitTypeRow, WITHOUT_FIELDS } from './type.ts';

const schema = (z: Zod) => z.object({ kind: z.literal('Normal') });

export const normal = {
  ...WITHOUT_FIELDS,
  schema,
  storedSchema: schema,
  option: 'normal',
  make: () => ({ kind: 'Normal' as const }),
  ending: (_type, { kind }) =>
    kind === 'Complete' ? 'Complete: the user confirmed it.' : `Compacted while it was ${kind}.`,
} satisfies CommitTypeRow;
