/** `ctx ingest`. */
import { resolve } from 'node:path';
import { type IngestResult, ingestTranscript } from '../../app/ingest.ts';
import { wholeText } from '../../app/text.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../command.ts';
import type { Theme } from '../theme.ts';
import { compactedLines, shortOid, stateLine } from '../words.ts';

interface Input {
  transcript: string;
  agent?: string | undefined;
  task?: string | undefined;
  compact?: boolean | undefined;
}

/** Most problems that are told one by one. */
const SHOWN = 20;

function problems(result: IngestResult): string[] {
  const told = result.problems.slice(0, SHOWN).map((problem) => `line ${problem.line}: ${problem.message}`);
  const more = result.problems.length - told.length;
  return more > 0 ? [...told, `… and ${plural(more, 'more problem')} (all of them with --json)`] : told;
}

function hints(result: IngestResult): string[] {
  if (result.incomplete) return ['Its last line is not finished; it is read when the file has grown.'];
  if (!result.open) return [];
  if (result.current && result.staleness === 'auto_compact') {
    return [
      'It has been idle for long: ctx stage recover and ctx stage start save it. To go on with it, record something.',
    ];
  }
  if (result.current) return [];
  return [`Another session is active; to go on with this one: ctx stage switch ${result.session_id}`];
}

function render(result: IngestResult, theme: Theme): string {
  const session = theme.accent(result.session_id);
  const compacted = result.compacted ? compactedLines(result.compacted, theme) : '';
  if (result.steps_added === 0)
    return compacted ? `Nothing new in it.\n${compacted}` : `Nothing new in it: ${session} stays as it is.\n`;
  const counts = [
    plural(result.steps_added, 'step'),
    plural(result.messages, 'message'),
    plural(result.tool_calls, 'tool call'),
    plural(result.lines, 'line'),
  ];
  const kinds = Object.entries(result.unknown).map(([type, count]) => `${count} ${oneLine(type, 60)}`);
  const lines = [
    `${result.created ? 'Ingested' : 'Added to'} ${session}: ${oneLine(result.task_description)}`,
    `  ${counts.join(', ')}`,
    ...(kinds.length > 0 ? [`  kept as they are: ${kinds.join(', ')}`] : []),
    `  ${stateLine(result.session_state, theme)} at ${theme.accent(shortOid(result.oid))}`,
  ];
  return `${lines.join('\n')}\n${compacted}`;
}

export const ingestCommand = defineCommand<Input, IngestResult>({
  name: 'ingest',
  summary: "make a session of an agent's transcript, or add what is new in it",
  arguments: [{ name: 'transcript', description: "the agent's own file" }],
  options: [
    { flags: '--agent <name>', description: 'whose it is; told by its content where absent' },
    { flags: '--task <text>', description: 'the task, instead of the first prompt (- reads standard input)' },
    { flags: '--compact', description: 'save the session as one canonical commit afterwards' },
  ],
  examples: [
    ['ctx ingest session.jsonl', 'make a session of it; again adds only what is new'],
    ['ctx ingest session.jsonl --task "Add retry" --compact', 'save it in the same go'],
  ],
  exits: [
    [1, 'the file is no transcript, or nothing in it could be kept'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      transcript: z.string(),
      agent: z.optional(z.string()),
      task: z.optional(z.string()),
      compact: z.optional(z.boolean()),
    }),
  run: (app, input) =>
    ingestTranscript(app.repository(), resolve(app.directory, input.transcript), {
      agent: input.agent,
      task: input.task === undefined ? undefined : wholeText(app.text(input.task), 'The task'),
      compact: input.compact,
      progress: app.progress.show,
    }),
  problems,
  hints,
  render,
});
