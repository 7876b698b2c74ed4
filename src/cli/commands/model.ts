/** `ctx model use` and `ctx prompt build`: what the next request is sent with. */
import { type SwitchModelResult, switchModel } from '../../app/conversation/model.ts';
import { type BuiltPrompt, buildPrompt } from '../../app/conversation/prompt.ts';
import { fileText, wholeText } from '../../app/session/text.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine, plural } from '../../core/text.ts';
import { type App, type Command, defineCommand } from '../frame/command.ts';

const modelCommand = defineCommand<{ model: string; variant?: string | undefined }, SwitchModelResult>({
  name: 'model use',
  summary: 'choose the model of the next messages',
  arguments: [{ name: 'model', description: 'the provider and the model: anthropic/claude-sonnet-4-5' }],
  options: [{ flags: '--variant <name>', description: 'a variant of it, such as how long it thinks' }],
  examples: [
    ['ctx model use anthropic/claude-sonnet-4-5', 'the next messages go to this model'],
    ['ctx model use openai/gpt-5 --variant high', 'with a variant'],
  ],
  exits: [
    [1, 'its window is too small for the conversation, even if that is compacted; nothing is changed'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ model: z.string(), variant: z.optional(z.string()) }),
  run: (app, { model, variant }) =>
    switchModel(app.repository(), model, { variant, environment: app.environment, onWarning: app.warn }),
  render: ({ provider_id, model_id, variant, previous, compacted }, theme) => {
    const name = theme.accent(oneLine(`${provider_id}/${model_id}${variant === undefined ? '' : ` (${variant})`}`));
    const summarised = compacted ? `Summarised ${plural(compacted.turns, 'earlier turn')} to make it fit.\n` : '';
    return `${summarised}The next messages go to ${name}${previous === null ? '' : `; before: ${oneLine(previous)}`}.\n`;
  },
});

interface PromptInput {
  agent_prompt?: string | undefined;
  tools?: string | undefined;
  platform?: string | undefined;
  root?: string | undefined;
  git_status?: string | undefined;
  date?: string | undefined;
  model?: string | undefined;
  variant?: string | undefined;
  record?: boolean | undefined;
}

/** Reads a file that is named on the command line, or standard input for `-`. */
const fileOf = (app: App, file: string, what: string): string =>
  wholeText(
    fileText(file, app.directory, () => app.input()),
    what,
  );

function toolsIn(app: App, file: string): unknown {
  const text = fileOf(app, file, 'The tools');
  try {
    return JSON.parse(text);
  } catch {
    throw new CtxError('invalid_input', `${file === '-' ? 'Standard input' : file} is no JSON.`);
  }
}

const promptCommand = defineCommand<PromptInput, BuiltPrompt>({
  name: 'prompt build',
  summary: 'build the system prompt of the next request',
  options: [
    { flags: '--agent-prompt <file>', description: "the agent's own prompt (- reads standard input)" },
    {
      flags: '--tools <file>',
      description: 'the tools, as JSON: a list, or an object by name, with their JSON Schemas',
    },
    { flags: '--platform <name>', description: 'the platform (default: this one)' },
    { flags: '--root <folder>', description: 'the root of the workspace (default: the project)' },
    { flags: '--git-status <text>', description: 'the status of Git (default: what Git says)' },
    { flags: '--date <day>', description: 'the date (default: today)' },
    { flags: '--model <name>', description: 'the model (default: that of the session)' },
    { flags: '--variant <name>', description: 'the variant of the model (default: that of the session)' },
    { flags: '--record', description: 'record the digest of the prompt with the next answers of the session' },
  ],
  examples: [
    ['ctx prompt build --agent-prompt agent.md --tools tools.json', 'the prompt, on standard output'],
    ['ctx prompt build --record --json', 'with its SHA-256, which the next answers carry'],
  ],
  exits: [
    [1, 'a file cannot be read'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      agent_prompt: z.optional(z.string()),
      tools: z.optional(z.string()),
      platform: z.optional(z.string()),
      root: z.optional(z.string()),
      git_status: z.optional(z.string()),
      date: z.optional(z.string()),
      model: z.optional(z.string()),
      variant: z.optional(z.string()),
      record: z.optional(z.boolean()),
    }),
  run: (app, input) =>
    buildPrompt(app.repository(), {
      agentPrompt: input.agent_prompt === undefined ? undefined : fileOf(app, input.agent_prompt, 'The prompt'),
      tools: input.tools === undefined ? undefined : toolsIn(app, input.tools),
      record: input.record,
      environment: {
        ...(input.platform === undefined ? {} : { platform: input.platform }),
        ...(input.root === undefined ? {} : { root: input.root }),
        ...(input.git_status === undefined ? {} : { git: input.git_status }),
        ...(input.date === undefined ? {} : { date: input.date }),
        ...(input.model === undefined ? {} : { model: input.model }),
        ...(input.variant === undefined ? {} : { variant: input.variant }),
      },
    }),
  verbatim: ({ text }) => text,
  render: ({ text }) =>
    text
      .split('\n')
      .map((line) => oneLine(line, 2000))
      .join('\n'),
  hints: ({ digest }) => [`SHA-256: ${digest}`],
});

export const modelCommands: readonly Command[] = [modelCommand];
export const promptCommands: readonly Command[] = [promptCommand];
