/** The hooks of opencode: a plugin of ctx's own. */
import type { AgentHooks } from '../contract/hook-settings.ts';
import { PLUGIN } from './plugin.ts';

const AFTERWARDS = 'Restart opencode: a running session does not load the plugin.';

export const opencodeHooks: AgentHooks = {
  agent: 'opencode',
  title: 'opencode',
  folder: '.opencode',
  homeFolder: '.config/opencode',
  folderVariable: 'XDG_CONFIG_HOME',
  belowVariable: 'opencode',
  file: 'plugin/ctx.ts',
  program: 'opencode',
  commands: { folder: 'command', form: 'markdown', args: '$ARGUMENTS' },
  installation: { as: 'file', source: PLUGIN },
  afterwards: {
    user: [AFTERWARDS],
    project: [AFTERWARDS, 'Do not share the file: it names paths of this machine.'],
  },
};
