/** The hooks of Gemini CLI; a timeout is in milliseconds. */
import { objectOf, textOf } from '../../core/json.ts';
import { commandAndArguments, jsonServerText } from '../../core/server-settings.ts';
import type { AgentHooks, Review } from '../contract/hook-settings.ts';
import { foldersAbove, readSettings } from '../shared/settings.ts';
import { settingAt } from './settings.ts';

/** The timeouts of a tool, and of a turn that may have much to read, in milliseconds. */
const SHORT = 10_000;
const LONG = 30_000;

/** Returns whether Gemini CLI trusts the project, by the texts of `trustedFolders.json` and the user's `settings.json`. */
export function trustOf(
  [text = '', settings = '']: readonly string[],
  _hooks: string,
  projects: readonly string[],
): Review {
  if (settingAt(settings, 'security', 'folderTrust', 'enabled') === false) return { events: null, trusted: true };
  const rules = Object.entries(objectOf(readSettings(text)) ?? {});
  rules.sort(([a], [b]) => b.length - a.length);
  const folders = projects.flatMap(foldersAbove);
  for (const [path, value] of rules) {
    const rule = textOf(value);
    const [, parent] = foldersAbove(path);
    const place = rule === 'TRUST_PARENT' ? (parent ?? path) : path;
    if (!folders.includes(place)) continue;
    if (rule === 'DO_NOT_TRUST') return { events: null, trusted: false };
    if (rule === 'TRUST_FOLDER' || rule === 'TRUST_PARENT') return { events: null, trusted: true };
  }
  return { events: null, trusted: null };
}

const AFTERWARDS = 'Restart Gemini CLI: a running session does not use them. /hooks lists them.';

const SERVER_AFTERWARDS = 'Restart Gemini CLI: /mcp lists its servers.';

export const geminiHooks: AgentHooks = {
  agent: 'gemini',
  title: 'Gemini CLI',
  folder: '.gemini',
  folderVariable: 'GEMINI_CLI_HOME',
  belowVariable: '.gemini',
  file: 'settings.json',
  program: 'gemini',
  commands: { folder: 'commands', form: 'toml', args: '{{args}}' },
  installation: {
    as: 'settings',
    shape: 'grouped',
    events: [
      { event: 'SessionStart', timeout: LONG },
      { event: 'BeforeAgent', timeout: LONG },
      // It can refuse a tool. What it allows, Gemini CLI asks for all the same.
      { event: 'BeforeTool', timeout: SHORT, permissions: 'only' },
      { event: 'AfterTool', timeout: SHORT },
      { event: 'AfterAgent', timeout: LONG },
      { event: 'Notification', timeout: SHORT },
      // The automatic one comes before every request to the model.
      { event: 'PreCompress', matcher: 'manual', timeout: LONG },
      { event: 'SessionEnd', timeout: SHORT },
    ],
  },
  servers: {
    file: 'settings.json',
    installation: {
      as: 'server',
      text: (program, file) => jsonServerText({ key: 'mcpServers', entryOf: commandAndArguments }, program, file),
    },
    afterwards: {
      user: [SERVER_AFTERWARDS],
      project: [SERVER_AFTERWARDS, 'Do not share the file: it names paths of this machine.'],
    },
  },
  review: {
    files: ['trustedFolders.json', 'settings.json'],
    variable: { name: 'GEMINI_CLI_TRUST_WORKSPACE', trusted: 'true' },
    read: trustOf,
    remedy: 'Open Gemini CLI in this project and trust the folder: /permissions',
  },
  switch: {
    files: ['settings.json'],
    isOff: (text) => {
      const isOn = settingAt(text, 'hooksConfig', 'enabled');
      return typeof isOn === 'boolean' ? !isOn : undefined;
    },
    remedy: 'Take "hooksConfig": {"enabled": false} out of it',
  },
  afterwards: {
    user: [AFTERWARDS],
    project: [
      AFTERWARDS,
      'Gemini CLI runs the hooks of a project only if its folder is trusted.',
      'Do not share the file: it names paths of this machine.',
    ],
  },
};
