/** The hooks of Claude Code; a timeout is in seconds. */
import { objectOf } from '../../core/json.ts';
import { commandAndArguments, jsonServerText } from '../../core/server-settings.ts';
import type { AgentHooks } from '../contract/hook-settings.ts';
import { readSettings } from '../shared/settings.ts';

/** The timeouts of a tool, and of a turn that may have much to read, in seconds. */
const SHORT = 10;
const LONG = 30;

const AFTERWARDS = 'Restart Claude Code: a running session may not use them yet. /hooks lists them.';

const SERVER_AFTERWARDS = 'Restart Claude Code: /mcp lists its servers.';

export const claudeCodeHooks: AgentHooks = {
  agent: 'claude-code',
  title: 'Claude Code',
  folder: '.claude',
  folderVariable: 'CLAUDE_CONFIG_DIR',
  file: 'settings.json',
  program: 'claude',
  commands: { folder: 'commands', form: 'markdown', args: '$ARGUMENTS' },
  installation: {
    as: 'settings',
    shape: 'grouped',
    events: [
      { event: 'SessionStart', timeout: LONG },
      { event: 'UserPromptSubmit', timeout: LONG },
      // The tools whose input counts before they run, since they ask the user. No other tool waits here.
      { event: 'PreToolUse', matcher: 'AskUserQuestion|ExitPlanMode', timeout: SHORT },
      { event: 'PostToolUse', timeout: SHORT },
      { event: 'PostToolUseFailure', timeout: SHORT },
      { event: 'PermissionRequest', timeout: SHORT, permissions: 'answered' },
      { event: 'Notification', timeout: SHORT },
      { event: 'Stop', timeout: LONG },
      { event: 'SubagentStop', timeout: SHORT },
      { event: 'PreCompact', timeout: LONG },
      { event: 'PostCompact', timeout: LONG },
      // Claude Code waits 1.5 s for all hooks of this event, or as long as one of them asks for.
      { event: 'SessionEnd', timeout: SHORT },
    ],
  },
  servers: {
    folder: '.',
    file: '.mcp.json',
    homeFile: '.claude.json',
    installation: {
      as: 'server',
      text: (program, file) => jsonServerText({ key: 'mcpServers', entryOf: commandAndArguments }, program, file),
    },
    afterwards: {
      user: [SERVER_AFTERWARDS],
      project: [
        `${SERVER_AFTERWARDS} Claude Code asks there if it may start the server.`,
        'Do not share the file: it names paths of this machine.',
      ],
    },
  },
  switch: {
    files: ['settings.local.json', 'settings.json'],
    isOff: (text) => {
      const isOff = objectOf(readSettings(text))?.['disableAllHooks'];
      return typeof isOff === 'boolean' ? isOff : undefined;
    },
    remedy: 'Take "disableAllHooks" out of it',
  },
  afterwards: {
    user: [AFTERWARDS],
    project: [AFTERWARDS, 'Do not share the file: it names paths of this machine.'],
  },
};
