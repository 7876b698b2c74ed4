/** The hooks of Codex; a timeout is in seconds. */
import type { AgentHooks } from '../contract/hook-settings.ts';
import { isSwitchedOff, reviewOf } from './review.ts';
import { tomlServerText } from './servers.ts';

/** The timeouts of a tool, and of a turn that may have much to read, in seconds. */
const SHORT = 10;
const LONG = 30;
/** Codex cuts the timeouts of these two events down to 3 s, and warns at each start about a longer one. */
const LAST_WORDS = 3;

const REVIEW = 'Open Codex once and review the hooks there (/hooks): until then it skips them without a word.';

const SERVER_AFTERWARDS = 'Restart Codex: /mcp lists its servers.';

export const codexHooks: AgentHooks = {
  agent: 'codex',
  title: 'Codex',
  folder: '.codex',
  folderVariable: 'CODEX_HOME',
  file: 'hooks.json',
  program: 'codex',
  // Codex has none of a project's.
  commands: { folder: 'prompts', form: 'markdown', args: '$ARGUMENTS', scopes: ['user'] },
  installation: {
    as: 'settings',
    shape: 'grouped',
    events: [
      { event: 'SessionStart', timeout: LONG },
      { event: 'UserPromptSubmit', timeout: LONG },
      { event: 'PostToolUse', timeout: SHORT },
      { event: 'PermissionRequest', timeout: SHORT, permissions: 'answered' },
      { event: 'Stop', timeout: LONG },
      { event: 'Interrupt', timeout: LAST_WORDS },
      { event: 'PreCompact', timeout: LONG },
      { event: 'PostCompact', timeout: LONG },
      { event: 'SessionEnd', timeout: LAST_WORDS },
      { event: 'SubagentStop', timeout: SHORT },
    ],
  },
  servers: {
    file: 'config.toml',
    installation: { as: 'server', text: (program, file) => tomlServerText(program, file) },
    afterwards: {
      user: [SERVER_AFTERWARDS],
      project: [
        SERVER_AFTERWARDS,
        'Codex reads the settings of a project only if the project is trusted.',
        'Do not share the file: it names paths of this machine.',
      ],
    },
  },
  // These load a TOML parser when they are called.
  review: {
    files: ['config.toml'],
    read: (texts, hooks, projects) => reviewOf(texts, hooks, projects),
    remedy: 'Open Codex once in this project, and pass the hooks there: /hooks',
  },
  switch: {
    files: ['config.toml'],
    isOff: (text) => isSwitchedOff(text),
    remedy: 'Take "hooks = false" (or "codex_hooks = false") out of its [features]',
  },
  afterwards: {
    user: [REVIEW],
    project: [
      REVIEW,
      'Codex runs the hooks of a project only if the project is trusted.',
      'Do not share the file: it names paths of this machine.',
    ],
  },
};
