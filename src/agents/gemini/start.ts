/** Describes how Gemini CLI is started. It takes whole ids only. */
import { type AgentStart, pathOfCommand, unexpandedPromptOf } from '../contract/agent-start.ts';

export const geminiStart: AgentStart = {
  agent: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  resume: (id) => ['--resume', id],
  isBoundToFolder: true,
  begin: (given) => ['--prompt-interactive', unexpandedPromptOf(given)],
  commandFiles: (name) => [`.gemini/commands/${pathOfCommand(name)}.toml`],
  instructions: ['GEMINI.md'],
  servers: [{ path: '.gemini/settings.json', key: 'mcpServers', as: 'json' }],
};
