/** Describes how Cursor's program for the terminal is started. */
import { type AgentStart, promptOf } from '../contract/agent-start.ts';

export const cursorStart: AgentStart = {
  agent: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  resume: (id) => [`--resume=${id}`],
  begin: (given) => [promptOf(given)],
  commandFiles: (name) => [`.cursor/commands/${name}.md`],
  instructions: ['AGENTS.md', '.cursorrules'],
  servers: [{ path: '.cursor/mcp.json', key: 'mcpServers', as: 'json' }],
};
