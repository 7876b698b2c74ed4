/** `ctx export --to`: a session as the transcript of an agent, or as a text. */
import { loadConversation } from '../../app/conversation/load.ts';
import { makeRoom } from '../../app/conversation/room.ts';
import { exportNative, type NativeResult, nativeTargets } from '../../app/exchange/native/native.ts';
import { exportText, TEXT_FORMS, type TextForm, type TextResult } from '../../app/exchange/text.ts';
import { CtxError } from '../../core/errors.ts';
import type { Loss } from '../../core/exchange/losses.ts';
import { bytesInWords, oneLine, plural } from '../../core/text.ts';
import type { App, OptionSpec } from '../frame/command.ts';
import type { Schemas } from '../frame/schema.ts';
import type { Theme } from '../frame/theme.ts';

/** A transcript that was written, with the warnings that were given about the room for its conversation. */
export type Installed = NativeResult & { warnings: string[] };
export type ToResult = Installed | TextResult;

/** Input beside the session and the file. */
export interface ToInput {
  to?: string | undefined;
  install?: boolean | undefined;
  from?: string | undefined;
  model_view?: boolean | undefined;
  full?: boolean | undefined;
  reasoning?: string | undefined;
  budget?: number | undefined;
}

/** Agents whose transcripts are written; the list of `nativeTargets`, which a test compares. */
export const TARGETS = ['claude-code', 'codex', 'gemini', 'pi', 'opencode'] as const;

export const TO_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--to <form>',
    description: 'write one session for an agent, which resumes it, or as a text',
    choices: [...TARGETS, ...TEXT_FORMS],
  },
  { flags: '--install', description: 'put it where the agent of --to finds it' },
  { flags: '--from <message>', description: 'begin with this message, by its id' },
  {
    flags: '--model-view',
    description: 'what the model sees: the summary of a compaction, and what follows (default)',
  },
  { flags: '--full', description: 'what compactions have hidden, in place of the summaries' },
  {
    flags: '--reasoning <as>',
    description: 'keep what another agent thought, as marked text',
    choices: ['text'],
  },
  { flags: '--budget <tokens>', kind: 'integer', description: 'most tokens of --to prompt' },
];

export const toSchema = (z: Schemas) => ({
  to: z.optional(z.enum([...TARGETS, ...TEXT_FORMS])),
  install: z.optional(z.boolean()),
  from: z.optional(z.string().check(z.minLength(1))),
  model_view: z.optional(z.boolean()),
  full: z.optional(z.boolean()),
  reasoning: z.optional(z.enum(['text'])),
  budget: z.optional(z.int().check(z.nonnegative('--budget cannot be negative'))),
});

const ONLY_WITH_TO = ['install', 'from', 'model_view', 'full', 'reasoning', 'budget'] as const;

/** Returns what is wrong with the options of a line; null if nothing is. */
export function toProblem(
  input: ToInput & { all?: boolean | undefined; output?: string | undefined },
  sessions: number,
): string | null {
  const { to, full, model_view, install, output } = input;
  const alone = ONLY_WITH_TO.find((key) => to === undefined && input[key] !== undefined);
  if (alone !== undefined) return `--${alone.replace('_', '-')} goes with --to`;
  if (to === undefined) return null;
  if (sessions > 1 || input.all) return '--to writes one session';
  if (full && model_view) return 'give --full or --model-view';
  if (install && output !== undefined) return 'give --install or -o <file>';
  if (isText(to) && (install || input.reasoning !== undefined))
    return `--to ${to} is a text: give it a file with -o <file>`;
  return input.budget !== undefined && to !== 'prompt' ? '--budget goes with --to prompt' : null;
}

const isText = (to: string): to is TextForm => (TEXT_FORMS as readonly string[]).includes(to);

/** Writes the session. */
export async function exportTo(
  app: App,
  input: ToInput & { to: string },
  session: string | undefined,
  output: string | undefined,
): Promise<ToResult> {
  const given = session ?? 'STAGE';
  const { to, from, full } = input;
  const { directory, environment } = app;
  if (isText(to)) {
    const { budget } = input;
    const text = exportText(app.repository(), given, { to, from, full, output, budget, directory });
    if (budget !== undefined && text.tokens !== undefined && text.tokens > budget)
      app.warn(`The shortest prompt has about ${text.tokens} tokens, more than the budget of ${budget}.`);
    return text;
  }
  if (output === '-')
    throw new CtxError('usage', 'A transcript is a file of its agent.', {
      hint: `Put it in its place with --install, or name a file with -o <file>. Agents: ${nativeTargets().join(', ')}`,
    });
  const warnings = full || from !== undefined ? [] : await makeRoomIn(app, given);
  const result = exportNative(app.repository(), given, {
    to,
    from,
    full,
    output,
    install: input.install,
    isOperation: true,
    thoughtsAsText: input.reasoning === 'text',
    around: { directory, environment },
  });
  for (const line of lossLines(result)) app.warn(line);
  return { ...result, warnings };
}

/**
 * Makes room in the conversation of an open session, if it would not fit into the window of its model.
 * @returns the warnings that were given
 */
export async function makeRoomIn(app: App, given: string): Promise<string[]> {
  const { session, isOpen } = loadConversation(app.repository(), given);
  const warnings: string[] = [];
  if (!isOpen) return warnings;
  const { environment } = app;
  const onNotice = (notice: string): void => {
    warnings.push(notice);
    app.warn(notice);
  };
  try {
    await makeRoom(app.repository(), session.session_id, { environment, onNotice });
  } catch (error) {
    // The transcript is written all the same: the answer may be given in it.
    if (!(error instanceof CtxError) || error.code !== 'choice_waits') throw error;
    onNotice(`Not summarised: ${error.message}`);
  }
  return warnings;
}

/** Puts a session where an agent resumes it, with room for the next turn, and warns of what is not carried over. */
export async function installFor(app: App, session: string, to: string): Promise<Installed> {
  const warnings = await makeRoomIn(app, session);
  const { directory, environment } = app;
  const result = exportNative(app.repository(), session, { to, install: true, around: { directory, environment } });
  for (const line of lossLines(result)) app.warn(line);
  return { ...result, warnings };
}

/** Words of losses that people read; other kinds have the names of parts. */
const WORDS: Readonly<Record<string, string>> = {
  instructions: 'messages with instructions of its agent',
  blank: 'messages that say nothing, in whose place a short text is',
  reasoning: 'thoughts',
  file: 'files',
  call: 'results without a call, kept as text',
  'call-id': 'ids of calls, which are others now',
  'tool-name': 'names of tools, which are others now',
  input: 'inputs of calls, which are in another form',
  output: 'outputs',
  'output-file': 'pictures in outputs',
  'output-failed': 'marks that a call failed',
  'structured-output': 'structured outputs beside the texts',
  model: 'names of models',
  usage: 'counts of tokens',
  time: 'times of messages',
};

const lossLine = ({ kind, count }: Loss): string => `Not carried over: ${WORDS[kind] ?? `parts, ${kind}`} (${count})`;

function lossLines({ losses, companion, remarks }: NativeResult): string[] {
  const list = losses.map(lossLine);
  return [
    ...remarks,
    ...list,
    ...(list.length > 0 && companion !== null ? [`The list: ${oneLine(companion, 1024)}`] : []),
  ];
}

export function renderTo(result: ToResult, theme: Theme): string {
  if ('to' in result) {
    if (result.file === null) return result.text ?? '';
    return `Wrote the session to ${theme.accent(oneLine(result.file, 1024))} (${bytesInWords(result.bytes)}).\n`;
  }
  const { file, agent, messages, added } = result;
  const where = file === null ? `what ${agent} keeps` : theme.accent(oneLine(file, 1024));
  const words =
    added === null ? `Wrote ${plural(messages, 'message')} for ${agent} to` : `Added ${plural(added, 'line')} to`;
  return `${words} ${where}.\n`;
}

export const hintsTo = (result: ToResult): string[] =>
  'to' in result ? [] : [`Resume it with: ${oneLine(result.resume_command, 4096)}`];
