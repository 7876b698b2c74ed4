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

function render(result: IngestResult, theme: Theme): string {
  const lines: string[] = [];
  for (const problem of result.problems.slice(0, SHOWN))
    lines.push(`${theme.bad(`line ${problem.line}:`)} ${problem.message}`);
  if (result.problems.length > SHOWN)
    lines.push(theme.bad(`… and ${plural(result.problems.length - SHOWN, 'more problem')}`));
  if (result.steps_added === 0) lines.push(`Nothing new in it: ${theme.accent(result.session_id)} stays as it is.`);
  else {
    const verb = result.created ? 'Ingested' : 'Added to';
    lines.push(`${verb} ${theme.accent(result.session_id)}: ${oneLine(result.task_description)}`);
    lines.push(
      `  ${plural(result.steps_added, 'step')}, ${plural(result.messages, 'message')}, ${plural(result.tool_calls, 'tool call')}, ${plural(result.lines, 'line')}`,
    );
    const kinds = Object.entries(result.unknown).map(([type, count]) => `${count} ${oneLine(type, 60)}`);
    if (kinds.length > 0) lines.push(`  kept as they are: ${kinds.join(', ')}`);
    lines.push(`  ${stateLine(result.session_state, theme)} at ${theme.accent(shortOid(result.oid))}`);
  }
  if (result.incomplete) lines.push('Its last line is not finished; it is read when the file has grown.');
  const current = result.current
    ? ''
    : `\nAnother session is active; to go on with this one: ctx stage switch ${result.session_id}`;
  return `${lines.join('\n')}${result.compacted ? `\n${compactedLines(result.compacted, theme)}` : current}\n`;
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
    [1, 'the file is no transcript, or lines of it could not be read; the rest is kept'],
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
  render,
  exit: (result) => (result.problems.length > 0 ? 1 : 0),
});
