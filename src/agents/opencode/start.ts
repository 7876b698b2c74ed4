/** Describes how opencode is started. It resumes a session in the session's own project only. */
import { type AgentStart, pathOfCommand, unexpandedPromptOf } from '../contract/agent-start.ts';

/** opencode takes no mark of a file behind a letter, a digit or a backtick. */
const EXPANDED = /(?<![\w`])@(?=\S)|!(?=[`{])/g;

export const opencodeStart: AgentStart = {
  agent: 'opencode',
  title: 'opencode',
  program: 'opencode',
  resume: (id) => ['--session', id],
  print: (id) => ['export', id],
  begin: (given) => ['--prompt', unexpandedPromptOf(given, EXPANDED)],
  commandFiles: (name) => ['command', 'commands'].map((folder) => `.opencode/${folder}/${pathOfCommand(name)}.md`),
  instructions: ['AGENTS.md', 'CLAUDE.md'],
  servers: [
    { path: 'opencode.json', key: 'mcp', as: 'json' },
    { path: '.opencode/opencode.json', key: 'mcp', as: 'json' },
  ],
};
