/** `ctx observe relate` and `ctx observe batch`. */
import { type BatchResult, observeBatch } from '../../app/session/batch.ts';
import type { FlushResult } from '../../app/session/flush-waiting.ts';
import { type Observed, observeRelation } from '../../app/session/observe.ts';
import { CONFIDENCES, nodeSchema, RELATION_LABELS } from '../../core/records/relation.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import { FLUSH, finishFirst, finishObserving, OBSERVE_EXITS, renderObserved, tellProblem } from './observe.ts';

interface RelateInput {
  from: string;
  label: (typeof RELATION_LABELS)[number];
  to: string;
  evidence?: string | undefined;
  confidence?: (typeof CONFIDENCES)[number] | undefined;
  flush?: boolean | undefined;
}

const relateCommand = defineCommand<RelateInput, Observed & { flushed: FlushResult | null }>({
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
});

const batchCommand = defineCommand<{ flush?: boolean | undefined }, BatchResult & { flushed: FlushResult | null }>({
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
  problems: (result) => result.problems.map(({ line, ...problem }) => tellProblem(`line ${line}`, problem)),
  render: renderObserved,
  exit: (result) => (result.problems.length > 0 ? 1 : 0),
});

export const observeMoreCommands: readonly Command[] = [relateCommand, batchCommand];
