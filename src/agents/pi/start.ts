/** Describes how pi is started. By an id alone it looks only among the sessions of the folder that it is started in. */
import type { AgentStart } from '../contract/agent-start.ts';

export const piStart: AgentStart = {
  agent: 'pi',
  title: 'pi',
  program: 'pi',
  resume: (id) => ['--session', id],
  isBoundToFolder: true,
  // Two messages: the template of a command drops the words behind it unless it has a placeholder for them.
  begin: ({ context, command }) => (command === null ? [context] : [command, context]),
  commandFiles: (name) => [`.pi/prompts/${name}.md`],
  instructions: ['AGENTS.md', 'CLAUDE.md'],
  servers: [],
};
