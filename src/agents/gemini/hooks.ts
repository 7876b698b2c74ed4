/** The hooks of Gemini CLI; a timeout is in milliseconds. */
import type { AgentHooks } from '../contract/hook-settings.ts';
import { AGENT_NAME } from './name.ts';
import { settingAt } from './settings.ts';
import { trustOf } from './trust.ts';

/** Of a tool that runs, and of a turn that may have much to read, in milliseconds. */
const SHORT = 10_000;
const LONG = 30_000;

const AFTERWARDS = 'Restart Gemini CLI: a running session does not use them. /hooks lists them.';

export const geminiHooks: AgentHooks = {
  agent: AGENT_NAME,
  title: 'Gemini CLI',
  folder: '.gemini',
  folderVariable: 'GEMINI_CLI_HOME',
  belowVariable: '.gemini',
  file: 'settings.json',
  program: 'gemini',
  stand: {
    as: 'settings',
    shape: 'grouped',
    events: [
      { event: 'SessionStart', timeout: LONG },
      { event: 'BeforeAgent', timeout: LONG },
      { event: 'AfterTool', timeout: SHORT },
      { event: 'AfterAgent', timeout: LONG },
      { event: 'Notification', timeout: SHORT },
      // The automatic one comes before every request to the model.
      { event: 'PreCompress', matcher: 'manual', timeout: LONG },
      { event: 'SessionEnd', timeout: SHORT },
    ],
  },
  review: {
    files: ['trustedFolders.json', 'settings.json'],
    variable: { name: 'GEMINI_CLI_TRUST_WORKSPACE', trusted: 'true' },
    read: trustOf,
    mend: 'Open Gemini CLI in this project and trust the folder: /permissions',
  },
  switch: {
    files: ['settings.json'],
    isOff: (text) => {
      const isOn = settingAt(text, 'hooksConfig', 'enabled');
      return typeof isOn === 'boolean' ? !isOn : undefined;
    },
    mend: 'Take "hooksConfig": {"enabled": false} out of it',
  },
  afterwards: {
    user: [AFTERWARDS],
    project: [
      AFTERWARDS,
      'Gemini CLI runs the hooks of a project only if its folder is trusted.',
      'Keep the file out of what you share: its line names the node and the ctx of this machine.',
    ],
  },
};
