/** The places of opencode's sessions: a database for each channel of its releases, and in older versions a folder of files. */
import type { AgentCollections } from '../contract/transcript-places.ts';

export const opencodeCollections: AgentCollections = {
  agent: 'opencode',
  folder: '.opencode',
  homeFolder: '.local/share/opencode',
  folderVariable: 'XDG_DATA_HOME',
  belowVariable: 'opencode',
  names: ['opencode.db', /^opencode-.+\.db$/, 'storage'],
  title: 'opencode',
  fileVariable: 'OPENCODE_DB',
  switches: [
    { unset: '.local/share/opencode', names: 'home', isShared: true },
    { unset: 'Library/Application Support/opencode', names: 'home', isShared: true },
    { variable: 'LOCALAPPDATA', below: 'opencode', names: 'home', isShared: true },
    { variable: 'APPDATA', below: 'opencode', names: 'home', isShared: true },
  ],
  known: [
    { path: /-(wal|shm|journal)$/, what: 'what databases write beside themselves' },
    { path: /^(auth|mcp-auth|account|models)\.json$/, what: 'keys and settings' },
    {
      path: /^(bin|log|logs|plan|plans|project|repos|snapshot|tool-output|worktree|cache)(\/|$)/,
      what: 'programs, logs, copies of files',
    },
  ],
};
