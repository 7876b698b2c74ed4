/** The hooks of opencode: a plugin of ctx's own. */
import { jsonServerText, type ServerProgram } from '../../core/server-settings.ts';
import type { AgentHooks } from '../contract/hook-settings.ts';
import { PLUGIN } from './plugin.ts';

const AFTERWARDS = 'Restart opencode: a running session does not load the plugin.';

const SERVER_AFTERWARDS = 'Restart opencode: a running session does not start the server.';

/** A server as opencode takes it: the whole command line in one list. */
const localServer = ({ node, program }: ServerProgram) => ({
  type: 'local',
  command: [node, program, 'mcp'],
  enabled: true,
});

export const opencodeHooks: AgentHooks = {
  agent: 'opencode',
  title: 'opencode',
  folder: '.opencode',
  homeFolder: '.config/opencode',
  folderVariable: 'XDG_CONFIG_HOME',
  belowVariable: 'opencode',
  file: 'plugin/ctx.ts',
  program: 'opencode',
  installation: { as: 'file', source: PLUGIN },
  servers: {
    folder: '.',
    homeFolder: '.config/opencode',
    file: 'opencode.json',
    installation: {
      as: 'server',
      text: (program, file) => jsonServerText({ key: 'mcp', entryOf: localServer }, program, file),
    },
    afterwards: {
      user: [SERVER_AFTERWARDS],
      project: [SERVER_AFTERWARDS, 'Do not share the file: it names paths of this machine.'],
    },
  },
  afterwards: {
    user: [AFTERWARDS],
    project: [AFTERWARDS, 'Do not share the file: it names paths of this machine.'],
  },
};
