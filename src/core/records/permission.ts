/** The kind `permission`: an agent asked whether it may do something, or was answered; the fields are the agent's own. */
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOfAny } from './words.ts';

export const permission = {
  ...SILENT,
  schema: (z: Zod) => z.looseObject({ kind: z.literal('permission') }),
  structure: BARE,
  line: (record) => lineOfAny(record),
} satisfies RecordKind;
