/** The hooks of Cursor; a timeout is in seconds. */
import type { AgentHooks } from '../contract/hook-settings.ts';

/** The timeouts of a tool, and of a turn that may have much to read, in seconds. */
const SHORT = 10;
const LONG = 30;

export const cursorHooks: AgentHooks = {
  agent: 'cursor',
  title: 'Cursor',
  folder: '.cursor',
  file: 'hooks.json',
  program: 'cursor-agent',
  installation: {
    as: 'settings',
    shape: 'listed',
    events: [
      { event: 'sessionStart', timeout: LONG },
      { event: 'beforeSubmitPrompt', timeout: LONG },
      { event: 'postToolUse', timeout: SHORT },
      { event: 'stop', timeout: LONG },
      { event: 'sessionEnd', timeout: SHORT },
    ],
  },
  afterwards: {
    user: [],
    project: ['Do not share the file: it names paths of this machine.'],
  },
};
