/** The hooks of pi: an extension of ours. */
import type { AgentHooks } from '../contract/hook-settings.ts';
import { EXTENSION } from './extension.ts';
import { AGENT_NAME } from './name.ts';
import { trustOf } from './trust.ts';

const AFTERWARDS = 'Restart pi, or type /reload: a running session does not load the extension.';

export const piHooks: AgentHooks = {
  agent: AGENT_NAME,
  title: 'pi',
  folder: '.pi',
  homeFolder: '.pi/agent',
  folderVariable: 'PI_CODING_AGENT_DIR',
  file: 'extensions/ctx.ts',
  program: 'pi',
  stand: { as: 'file', source: EXTENSION },
  review: { files: ['trust.json'], read: trustOf, mend: 'Open pi in this project and trust it: /trust' },
  afterwards: {
    user: [AFTERWARDS],
    project: [
      AFTERWARDS,
      'pi runs the extensions of a project only if the project is trusted.',
      'Keep the file out of what you share: it names the node and the ctx of this machine.',
    ],
  },
};
