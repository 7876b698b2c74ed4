/** `ctx message` and `ctx choose`: a user's message moves the session. */
import type { MessageOptions } from '../../app/intake/message/options.ts';
import type { MessageResult } from '../../app/intake/message/result.ts';
import { wholeText } from '../../app/session/text.ts';
import { CLASSES, type Classification } from '../../core/message-class.ts';
import { type App, type ArgumentSpec, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { compactedLines, stateLine } from '../frame/words.ts';

interface Input {
  text: string;
  as?: string | undefined;
  agent?: string | undefined;
  dry_run?: boolean | undefined;
  explain?: boolean | undefined;
}

/** A class as it is typed: only one has two words. */
const typed = (name: Classification): string => (name === 'NewTask' ? 'new-task' : name.toLowerCase());
const GIVEN = CLASSES.filter((name) => name !== 'Unclear');

const DRY_RUN: OptionSpec = { flags: '--dry-run', description: 'only show what would happen' };
const AGENT: OptionSpec = {
  flags: '--agent <name>',
  description: 'name of the agent, for a session that begins',
  completes: 'agents',
};

const exits: Command['exits'] = [
  [1, 'there is nothing to answer, or that is no answer'],
  [3, 'a question waits for the user: ctx choose'],
  [4, 'the store was busy'],
  [5, 'the store is damaged'],
];

/** Loaded when it is asked for: those that only observe pay nothing for it. */
const use = (): Promise<typeof import('../../app/intake/message/message.ts')> =>
  import('../../app/intake/message/message.ts');

/** Asks the user at the terminal until the question is answered; without a terminal the question waits. */
async function askAtOnce(app: App, result: MessageResult, options: MessageOptions): Promise<MessageResult> {
  if (!result.choice || result.dry_run) return result;
  const { message } = result.choice;
  const { handleChoice } = await use();
  for (let given = app.ask(() => message); given?.trim(); given = app.ask(() => 'Answer with A or B:')) {
    try {
      return handleChoice(app.repository(), given, options);
    } catch (error) {
      if ((error as { code?: string }).code !== 'invalid_input') throw error;
    }
  }
  return result;
}

function render(result: MessageResult, theme: Theme, { explain }: Input): string {
  const name = theme.strong(result.classification);
  const lines = [explain ? `${name}: ${result.reason}` : name];
  if (result.choice) lines.push('', result.choice.message, '');
  const word = result.dry_run ? 'Would be' : 'Now';
  const after = result.state_after ? stateLine(result.state_after, theme) : 'no session';
  lines.push(`${result.action[0]?.toUpperCase()}${result.action.slice(1)}. ${word}: ${after}`);
  if (result.would_end !== null) lines.push(`Would end: session ${theme.accent(result.would_end)}`);
  return `${lines.join('\n')}\n${result.compacted ? compactedLines(result.compacted, theme) : ''}`;
}

const words = (description: string): ArgumentSpec => ({
  name: 'text',
  description: `${description} (- reads standard input)`,
  rest: 'words',
});

const shared = {
  exits,
  mutates: true,
  isAsked: (result: MessageResult) => result.choice !== null || result.dry_run,
  render,
  hints: (result: MessageResult) =>
    result.answer_with && !result.dry_run ? [`Answer with: ${result.answer_with}`] : [],
  exit: (result: MessageResult) => (result.choice && !result.dry_run ? 3 : 0),
};

export const messageCommands: readonly Command[] = [
  defineCommand<Input, MessageResult>({
    ...shared,
    name: 'message',
    summary: 'take in what the user says: it answers, changes, confirms, ends or begins the task',
    arguments: [words("the user's message")],
    options: [
      {
        flags: '--as <class>',
        description: 'what the message is, if the agent knows better',
        choices: GIVEN.map(typed),
      },
      AGENT,
      DRY_RUN,
      { flags: '--explain', description: 'say which words decided' },
    ],
    examples: [
      ['ctx message "Also add logging"', 'the session takes it up'],
      ['ctx message --dry-run --explain "Looks good"', 'what it would do, and which words decided'],
      ['ctx message --as new-task "Write the docs"', 'said by an agent that knows'],
    ],
    input: (z) =>
      z.object({
        text: z.string(),
        as: z.optional(z.string()),
        agent: z.optional(z.string()),
        dry_run: z.optional(z.boolean()),
        explain: z.optional(z.boolean()),
      }),
    run: async (app, input) => {
      const as = GIVEN.find((name) => typed(name) === input.as);
      const options: MessageOptions = { as, dryRun: input.dry_run, agent: input.agent };
      const text = wholeText(app.text(input.text), 'The message');
      const { handleUserMessage } = await use();
      const repository = app.repository();
      const result = await askAtOnce(app, handleUserMessage(repository, text, options), options);
      const { session_id: session, dry_run } = result;
      if (repository.settings.snapshots === false || session === null || dry_run) return result;
      const { keepFiles } = await import('../../app/conversation/snapshots.ts');
      repository.notices.push(...keepFiles(repository, { session, point: 'message', words: text }).notices);
      return result;
    },
  }),
  defineCommand<Input, MessageResult>({
    ...shared,
    name: 'choose',
    summary: 'answer the question that ctx asked',
    arguments: [words('A, B, continue or fresh')],
    options: [AGENT, DRY_RUN],
    examples: [
      ['ctx choose A', 'the first of the options'],
      ['ctx choose fresh', 'save the session and start a new one, whatever was asked'],
    ],
    input: (z) => z.object({ text: z.string(), agent: z.optional(z.string()), dry_run: z.optional(z.boolean()) }),
    run: async (app, input) => {
      const options: MessageOptions = { dryRun: input.dry_run, agent: input.agent };
      const answer = wholeText(app.text(input.text), 'The answer');
      return (await use()).handleChoice(app.repository(), answer, options);
    },
  }),
];
