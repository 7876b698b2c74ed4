/** The hooks of opencode: a plugin of ctx's own. */
import { jsonServerText, type ServerProgram } from '../../core/server-settings.ts';
import type { AgentHooks } from '../contract/hook-settings.ts';
import { SENDER } from '../shared/own-file.ts';
import { FIRST } from './plugin-first.ts';
import { SECOND } from './plugin-second.ts';
import { SESSIONS } from './plugin-sessions.ts';

/**
 * One file for both generations: opencode 1 calls `server` of the default export, opencode 2 takes only an object that has an
 * `id` and a `setup`. There is no other export, since the first versions of opencode 1 call every one.
 */
export const PLUGIN = `${SENDER}
/** Set if opencode 1 runs here: it may load the plugin a second time, as opencode 2 does. */
const RUNS_IN_FIRST = Symbol.for("ctx.runs-in-opencode-1");
${SESSIONS}${FIRST}${SECOND}
export default { id: "ctx", server, setup };
`;

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
  commands: { folder: 'command', form: 'markdown', args: '$ARGUMENTS' },
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
