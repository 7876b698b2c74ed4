/** The kind `relation`: an edge between two nodes. */
import { lazily } from '../lazily.ts';
import type { Zod } from '../schema.ts';
import { NODE, recordPlace, WORD } from '../structure.ts';
import { oneLine } from '../text.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { lineOf, textOrPreview } from './words.ts';

export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export const RELATION_LABELS = [
  'Mentions',
  'Contains',
  'Defines',
  'Imports',
  'References',
  'Calls',
  'Implements',
  'UsesType',
  'DependsOn',
  'UpdatedIn',
  'DerivedFrom',
] as const;

const NODE_FORM = /^(task|note|file|item|decision):[\s\S]+$/;

/** A node of the graph of relations: `task:…`, `note:…`, `file:…`, `item:…`, `decision:…`. */
export const nodeSchema = (z: Pick<Zod, 'string' | 'refine'>) =>
  z.string().check(z.refine((text) => NODE_FORM.test(text), 'takes task:…, note:…, file:…, item:… or decision:…'));

export const relation = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('relation'),
      from: nodeSchema(z),
      label: z.enum(RELATION_LABELS, `takes one of ${RELATION_LABELS.join(', ')}`),
      to: nodeSchema(z),
      confidence: z._default(z.enum(CONFIDENCES), 'medium'),
      evidence: z.optional(z.string()),
    }),
  structure: lazily(() => recordPlace({ from: NODE, label: WORD, to: NODE, confidence: WORD })),
  counted: 'relations',
  nouns: ['relation', 'relations'],
  digest: ({ edges, decisions }, record) => {
    edges.add(record);
    const decision = [record.from, record.to].map(textOrPreview).find((node) => node.startsWith('decision:'));
    if (decision && !decisions.includes(decision.slice(9))) decisions.push(decision.slice(9));
  },
  line: (record) => lineOf(record, oneLine(`${record.from} ${record.label} ${record.to}`)),
} satisfies RecordKind;
