/** Describes how Copilot CLI is started. */
import { type AgentStart, promptOf } from '../contract/agent-start.ts';

export const copilotStart: AgentStart = {
  agent: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  resume: (id) => [`--resume=${id}`],
  begin: (given) => ['--interactive', promptOf(given)],
  commandFiles: () => [],
  instructions: ['.github/copilot-instructions.md', 'AGENTS.md'],
  servers: [],
};
