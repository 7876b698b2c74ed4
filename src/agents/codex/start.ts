/** Describes how Codex is started. An id that is no UUID would begin a new session in silence. */
import { type AgentStart, promptOf } from '../contract/agent-start.ts';

export const codexStart: AgentStart = {
  agent: 'codex',
  title: 'Codex',
  program: 'codex',
  resume: (id) => ['resume', id],
  begin: (given) => [promptOf(given)],
  commandFiles: (name) => [`.codex/prompts/${name.replace(/^prompts:/, '')}.md`],
  instructions: ['AGENTS.override.md', 'AGENTS.md'],
  servers: [{ path: '.codex/config.toml', key: 'mcp_servers', as: 'toml' }],
};
