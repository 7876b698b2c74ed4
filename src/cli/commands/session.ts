/** `ctx session set`. */
import { type AboutResult, setAbout } from '../../app/session/about.ts';
import { oneLine } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';

interface Input {
  agent?: string | undefined;
  agent_version?: string | undefined;
  command?: string | undefined;
  mode?: string | undefined;
  model?: string | undefined;
  type?: string | undefined;
  title?: string | undefined;
  system_prompt?: string | undefined;
  system_prompt_hash?: string | undefined;
  mcp?: string[] | undefined;
  tool?: string[] | undefined;
}

/** Fields that are shown of a session, with its label. */
const SHOWN: readonly (readonly [label: string, key: keyof AboutResult])[] = [
  ['Type', 'type'],
  ['Agent', 'agent'],
  ['Version', 'agent_version'],
  ['Command', 'command'],
  ['Mode', 'mode'],
  ['Model', 'model'],
  ['MCP', 'mcp_servers'],
  ['Tools', 'tools'],
];

function render(result: AboutResult): string {
  const prompt = result.system_prompt;
  const lines = SHOWN.flatMap(([label, key]) => {
    const value = result[key];
    return value === null ? [] : [`${label.padEnd(8)} ${oneLine([value].flat().join(', '), 500)}`];
  });
  const prompted = prompt ? [`Prompt   ${[prompt.path, prompt.sha256.slice(0, 10)].filter(Boolean).join(' ')}`] : [];
  return `${[`Title    ${result.title}`, ...lines, ...prompted].join('\n')}\n`;
}

export const sessionCommands: readonly Command[] = [
  defineCommand<Input, AboutResult>({
    name: 'session set',
    summary: 'keep what is known of the session: type, title, agent, command, model, system prompt, tools',
    options: [
      { flags: '--type <type>', description: 'what kind of work it is: brainstorm, debug, or any other word' },
      { flags: '--title <title>', description: 'what to call it' },
      { flags: '--agent <name>', description: 'the agent that works on it' },
      { flags: '--agent-version <version>', description: 'the version of the agent' },
      { flags: '--command <command>', description: 'the command of the agent that it was begun with' },
      { flags: '--mode <mode>', description: 'the mode, output style or sub-agent that the agent runs in' },
      { flags: '--model <model>', description: 'the model' },
      {
        flags: '--system-prompt <file>',
        description: 'the file with the system prompt: its SHA-256 and path are kept',
      },
      { flags: '--system-prompt-hash <sha256>', description: 'the SHA-256 of a system prompt that is no file' },
      { flags: '--mcp <server>', description: 'an MCP server that the agent has', many: true },
      { flags: '--tool <tool>', description: 'a tool that the agent has', many: true },
    ],
    examples: [
      ['ctx session set --type brainstorm --title "API Design Discussion"', 'what ctx resume lists'],
      ['ctx session set --command /workspace.brainstorm --model claude-opus-4', 'what the agent ran with'],
    ],
    exits: [
      [1, 'no session is active, or the file does not exist'],
      [4, 'the store was busy'],
      [5, 'the store is damaged'],
    ],
    mutates: true,
    input: (z) => {
      const text = (name: string) => z.optional(z.string().check(z.minLength(1, `${name} needs a value`)));
      return z.object({
        agent: text('--agent'),
        agent_version: text('--agent-version'),
        command: text('--command'),
        mode: text('--mode'),
        model: text('--model'),
        type: text('--type'),
        title: text('--title'),
        system_prompt: text('--system-prompt'),
        system_prompt_hash: z.optional(
          z
            .string()
            .check(
              z.refine((hash) => /^[0-9a-f]{64}$/i.test(hash), '--system-prompt-hash takes 64 hexadecimal digits'),
            ),
        ),
        mcp: z.optional(z.array(z.string())),
        tool: z.optional(z.array(z.string())),
      });
    },
    run: (app, { system_prompt, system_prompt_hash, mcp, tool, ...plain }) =>
      setAbout(app.repository(), app.directory, {
        ...plain,
        system_prompt_file: system_prompt,
        system_prompt_sha256: system_prompt_hash,
        mcp_servers: mcp,
        tools: tool,
      }),
    render,
  }),
];
