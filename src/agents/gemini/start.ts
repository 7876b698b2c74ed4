/** Describes how Gemini CLI is started. It takes whole ids only. */
import { type AgentStart, pathOfCommand, unexpandedPromptOf } from '../contract/agent-start.ts';

/** Gemini CLI takes a mark of a file behind a letter, too: the one of `a@b.c` reads the file `b.c`. */
const EXPANDED = /(?<!\\)@(?=\S)|!(?=[`{])/g;

export const geminiStart: AgentStart = {
  agent: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  resume: (id) => ['--resume', id],
  isBoundToFolder: true,
  begin: (given) => ['--prompt-interactive', unexpandedPromptOf(given, EXPANDED)],
  commandFiles: (name) => [`.gemini/commands/${pathOfCommand(name)}.toml`],
  instructions: ['GEMINI.md'],
  servers: [{ path: '.gemini/settings.json', key: 'mcpServers', as: 'json' }],
};
