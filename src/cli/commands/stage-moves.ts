/** The moves of the state table as commands: `ctx stage ask`, `respond`, `interrupt`, `continue`, `done`, `reopen`, `confirm`, `abort`. */
import type { MoveResult } from '../../app/session/move.ts';
import { wholeText } from '../../app/session/text.ts';
import { moveOf, type Verb } from '../../core/state.ts';
import { type App, type ArgumentSpec, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import { compactedLines, shortOid, stateLine } from '../frame/words.ts';

interface Input {
  text?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  no_compact?: boolean | undefined;
}

interface MoveSpec {
  verb: Verb;
  summary: string;
  /** The text of the move, if it is an argument. */
  text?: ArgumentSpec;
  options?: OptionSpec[];
  examples: Command['examples'];
  /** True if the verb alone names the command, too. */
  alias?: boolean;
  /** True if the move ends the session, unless --no-compact. */
  ends?: boolean;
}

const words = (description: string, optional = false): ArgumentSpec => ({
  name: 'text',
  description: `${description} (- reads standard input)`,
  optional,
  rest: 'words',
});

const NO_COMPACT: OptionSpec = { flags: '--no-compact', description: 'leave the session staged; compact it later' };

const MOVE_SPECS: readonly MoveSpec[] = [
  {
    verb: 'ask',
    summary: 'put a question to the user: Running → AwaitingUser',
    text: words('the question'),
    examples: [['ctx stage ask "Which jitter strategy?"', 'the session waits for an answer']],
  },
  {
    verb: 'respond',
    summary: "record the user's answer: AwaitingUser → Running",
    text: words('the answer'),
    examples: [['ctx stage respond "Full jitter"', 'the session continues']],
  },
  {
    verb: 'interrupt',
    summary: 'the user cut in: Running → Interrupted',
    text: words("the user's message"),
    examples: [['ctx stage interrupt "Make it 5, not 3"', 'the session waits to take it up']],
  },
  {
    verb: 'continue',
    summary: 'continue after an interruption: Interrupted → Running',
    text: words('a note', true),
    examples: [['ctx stage continue', 'take the message up']],
  },
  {
    verb: 'done',
    alias: true,
    summary: 'say that the work is finished: Running → PendingComplete',
    text: words('what was done', true),
    examples: [['ctx stage done "Retry with backoff added"', 'the session waits for the user to confirm']],
  },
  {
    verb: 'reopen',
    summary: 'the user wants more: PendingComplete → Running',
    text: words('what is still to do'),
    examples: [['ctx stage reopen "Also log each attempt"', 'the session continues']],
  },
  {
    verb: 'confirm',
    alias: true,
    summary: 'the user is content: PendingComplete → Complete, then compacted',
    options: [{ flags: '-m, --message <text>', description: 'message of the canonical commit' }, NO_COMPACT],
    examples: [
      ['ctx stage confirm', 'save the session as a Normal commit'],
      ['ctx stage confirm -m "Retry with backoff"', 'the same under a message of your own'],
    ],
    ends: true,
  },
  {
    verb: 'abort',
    summary: 'give the task up: → Aborted, then compacted as Abandoned',
    options: [{ flags: '--reason <text>', description: 'why (- reads standard input)' }, NO_COMPACT],
    examples: [['ctx stage abort --reason "Superseded"', 'save the session as an Abandoned commit']],
    ends: true,
  },
];

async function move(spec: MoveSpec, app: App, input: Input): Promise<MoveResult> {
  const { setState } = await import('../../app/session/move.ts');
  const given = spec.verb === 'abort' ? input.reason : input.text;
  const text = given === undefined ? '' : wholeText(app.text(given), `The ${moveOf(spec.verb).text.replace('_', ' ')}`);
  const message = input.message === undefined ? undefined : wholeText(app.text(input.message), 'The message');
  const compact = spec.ends === true && !input.no_compact;
  // Without a compaction there is no commit for the message: it is kept as a note.
  return setState(app.repository(), spec.verb, { text, compact, message, note: compact ? undefined : message });
}

function commandOf(spec: MoveSpec): Command {
  return defineCommand<Input, MoveResult>({
    name: `stage ${spec.verb}`,
    alias: spec.alias ? spec.verb : undefined,
    summary: spec.summary,
    arguments: spec.text ? [spec.text] : [],
    options: spec.options ?? [],
    examples: spec.examples,
    exits: [
      [1, 'no session is active, or its state has no such move'],
      [4, 'the store was busy'],
      [5, 'the store is damaged'],
    ],
    mutates: true,
    input: (z) =>
      z.object({
        text: z.optional(z.string()),
        message: z.optional(z.string()),
        reason: z.optional(z.string()),
        no_compact: z.optional(z.boolean()),
      }),
    run: (app, input) => move(spec, app, input),
    render: (result, theme) => {
      const line = `${stateLine(result.session_state, theme)}\nStep ${result.step} ${theme.accent(shortOid(result.oid))}\n`;
      return result.compacted ? line + compactedLines(result.compacted, theme) : line;
    },
  });
}

export const moveCommands: readonly Command[] = MOVE_SPECS.map(commandOf);
