/** Describes how Claude Code is started. A session is found only from the folder that it was begun in. */
import { type AgentStart, pathOfCommand } from '../contract/agent-start.ts';

export const claudeCodeStart: AgentStart = {
  agent: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  resume: (id) => ['--resume', id],
  isBoundToFolder: true,
  // The prompt is the command alone, so that the command is carried out as it was then.
  begin: ({ context, command, request }) => ['--append-system-prompt', context, command ?? request],
  commandFiles: (name) => [`.claude/commands/${pathOfCommand(name)}.md`, `.claude/skills/${name}/SKILL.md`],
  instructions: ['CLAUDE.md', '.claude/CLAUDE.md'],
  servers: [{ path: '.mcp.json', key: 'mcpServers', as: 'json' }],
};
