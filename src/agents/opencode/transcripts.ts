/** Where opencode keeps sessions: a database for each channel of its releases, and before that a folder of files. */
import type { AgentCollections } from '../transcript-places.ts';
import { AGENT_NAME } from './name.ts';

export const opencodeCollections: AgentCollections = {
  agent: AGENT_NAME,
  folder: '.opencode',
  homeFolder: '.local/share/opencode',
  folderVariable: 'XDG_DATA_HOME',
  belowVariable: 'opencode',
  names: ['opencode.db', /^opencode-[\w.-]+\.db$/, 'storage'],
  fileVariable: 'OPENCODE_DB',
};
