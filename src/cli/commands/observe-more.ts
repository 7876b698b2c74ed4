/** `ctx observe relate` and `ctx observe batch`. */

import { distance } from 'fastest-levenshtein';
import { type BatchResult, observeBatch } from '../../app/session/batch.ts';
import { observeRelation } from '../../app/session/observe.ts';
import { CONFIDENCES, nodeSchema, RELATION_LABELS } from '../../core/records/relation.ts';
import { RECORD_KINDS } from '../../core/records/table.ts';
import { oneLine } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import {
  FLUSH,
  finishFirst,
  finishObserving,
  hintsOnce,
  OBSERVE_EXITS,
  renderObserved,
  tellProblem,
  type Waiting,
} from './observe.ts';

interface RelateInput {
  from: string;
  label: (typeof RELATION_LABELS)[number];
  to: string;
  evidence?: string | undefined;
  confidence?: (typeof CONFIDENCES)[number] | undefined;
  flush?: boolean | undefined;
}

const relateCommand = defineCommand<RelateInput, Waiting>({
  name: 'observe relate',
  summary: 'record how two things hang together',
  arguments: [
    { name: 'from', description: 'task:…, note:…, file:…, item:… or decision:…' },
    { name: 'label', description: RELATION_LABELS.join(', ') },
    { name: 'to', description: 'task:…, note:…, file:…, item:… or decision:…' },
  ],
  options: [
    { flags: '--evidence <text>', description: 'what shows it (- reads standard input)' },
    { flags: '--confidence <level>', description: 'how sure it is', choices: CONFIDENCES },
    FLUSH,
  ],
  examples: [['ctx observe relate file:src/client.ts Imports file:src/backoff.ts', 'record an edge']],
  exits: OBSERVE_EXITS,
  mutates: true,
  input: (z) =>
    z.object({
      from: nodeSchema(z),
      label: z.enum(RELATION_LABELS, `takes one of ${RELATION_LABELS.join(', ')}`),
      to: nodeSchema(z),
      evidence: z.optional(z.string()),
      confidence: z.optional(z.enum(CONFIDENCES)),
      flush: z.optional(z.boolean()),
    }),
  run: async (app, input) => {
    await finishFirst(app);
    const evidence = input.evidence === undefined ? undefined : app.text(input.evidence);
    return finishObserving(app, observeRelation(app.repository(), { ...input, evidence }), input.flush);
  },
  render: renderObserved,
  hints: hintsOnce,
});

/** Most letters in which a misspelt kind differs from a known one. */
const MISSPELT = 2;

/** Returns the known kind that an unknown one is probably meant to be. */
function kindLike(kind: string): string | undefined {
  const far = (known: string): number => distance(known, kind.toLowerCase());
  const [nearest] = Object.keys(RECORD_KINDS).sort((a, b) => far(a) - far(b));
  return nearest !== undefined && far(nearest) <= Math.min(MISSPELT, kind.length - 2) ? nearest : undefined;
}

const batchCommand = defineCommand<{ flush?: boolean | undefined }, BatchResult & Waiting>({
  name: 'observe batch',
  summary: 'record many things: one JSON object a line on standard input',
  options: [FLUSH],
  examples: [
    [`echo '{"kind":"note","content":"hello"}' | ctx observe batch`, 'good lines are kept, bad ones are named'],
  ],
  exits: OBSERVE_EXITS,
  mutates: true,
  input: (z) => z.object({ flush: z.optional(z.boolean()) }),
  run: async (app, input) => {
    await finishFirst(app);
    const result = observeBatch(app.repository(), app.input(), app.directory);
    return finishObserving(app, result, input.flush && result.records.length > 0);
  },
  problems: (result) => [
    ...result.problems.map(({ line, ...problem }) => tellProblem(`line ${line}`, problem)),
    ...result.unknown_kinds.flatMap(({ line, kind }) => {
      const known = kindLike(kind);
      return known === undefined
        ? []
        : [`line ${line} was kept, but is of the kind "${oneLine(kind, 80)}": did you mean "${known}"?`];
    }),
  ],
  hints: hintsOnce,
  render: renderObserved,
  exit: (result) => (result.problems.length > 0 ? 1 : 0),
});

export const observeMoreCommands: readonly Command[] = [relateCommand, batchCommand];
