/** The kind `rule`: the user sets a rule of permissions for the session, or takes rules of the session back. */
import { lazily } from '../lazily.ts';
import type { Zod } from '../schema.ts';
import { recordPlace, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const rule = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('rule'),
      /** Verdict of the rule; `none` takes it back. */
      verdict: z.enum(['allow', 'ask', 'deny', 'none']),
      /** The tool and the pattern: `Bash(git push *)`; empty for all rules, which only `none` takes. */
      rule: z.string(),
      pin: z.optional(z.literal(true)),
    }),
  batch: 'refused',
  structure: lazily(() => recordPlace({ verdict: WORD })),
  isActivity: false,
  isDated: () => false,
  nouns: ['rule', 'rules'],
  squash: 'stays',
  line: (record) =>
    lineOf(
      record,
      `${fieldInWords(record.verdict)} ${fieldInWords(record.rule)}${record.pin === true ? ' (pinned)' : ''}`.trim(),
    ),
} satisfies RecordKind;
