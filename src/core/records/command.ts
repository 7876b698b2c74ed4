/** The kind `command`: a command was run. */
import type { Zod } from '../schema.ts';
import { BARE } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf, textOrPreview } from './words.ts';

export const command = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('command'),
      command: z.string(),
      /** Null if it is not known. */
      exit_code: z.optional(z.nullable(z.int())),
      output: z.optional(z.string()),
      duration_ms: z.optional(z.nullable(z.number().check(z.nonnegative()))),
    }),
  structure: BARE,
  counted: 'commands',
  nouns: ['command', 'commands'],
  digest: ({ notes, commands }, { output: _output, ...record }) => {
    notes.add(record);
    const exit_code = (record.exit_code ?? null) as number | null;
    const text = textOrPreview(record.command);
    const same = commands.get(`${exit_code} ${text}`);
    if (same) same.runs += 1;
    else commands.set(`${exit_code} ${text}`, { command: text, exit_code, runs: 1 });
  },
  line: (record) => lineOf(record, fieldInWords(record.command)),
} satisfies RecordKind;
