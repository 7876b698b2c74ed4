/** Describes how pi is started. By an id alone it looks only among the sessions of the folder that it is started in. */
import { type AgentStart, promptOf } from '../contract/agent-start.ts';

export const piStart: AgentStart = {
  agent: 'pi',
  title: 'pi',
  program: 'pi',
  resume: (id) => ['--session', id],
  begin: (given) => [promptOf(given)],
  commandFiles: (name) => [`.pi/prompts/${name}.md`],
  instructions: ['AGENTS.md', 'CLAUDE.md'],
  servers: [],
};
