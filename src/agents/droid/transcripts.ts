/** The places of Droid's sessions: a folder for each folder that it worked in, with a file for each session. */
import { textOf } from '../../core/json.ts';
import type { AgentTranscripts } from '../contract/transcript-places.ts';
import { idOf, parseRecord } from '../shared/fields.ts';

/** Returns the name of the folder with the sessions of a folder. */
const folderNameOf = (cwd: string): string =>
  `-${cwd
    .replace(/^([A-Za-z]):/, '$1')
    .replace(/^\/+/, '')
    .replace(/[/\\]+/g, '-')}`;

export const droidTranscripts: AgentTranscripts = {
  agent: 'droid',
  title: 'Droid',
  folder: '.factory',
  folderVariable: 'FACTORY_HOME_OVERRIDE',
  belowVariable: '.factory',
  retention: null,
  // Older versions kept all sessions in the root itself.
  roots: ['sessions'],
  switches: [],
  hasProjectFolders: true,
  known: [
    { path: /^([^/]+\/)?[^/]+\.settings\.json$/, what: 'the settings of each session' },
    { path: /^([^/]+\/)?[^/]+\.bak$/, what: 'copies' },
  ],
  silent:
    /^(session_start|session_settings|todo_state|agent_turn_outcome|compaction_state|message\/(assistant|system|tool))$/,
  holds: ([name, deeper], projects) => {
    if (name === undefined || deeper !== undefined) return 'no';
    const own = projects.map(folderNameOf);
    if (own.includes(name)) return 'own';
    // Questions beside a session are in a folder for all projects.
    return name === 'btw' || own.some((start) => name.startsWith(`${start}-`)) ? 'perhaps' : 'no';
  },
  isConversation: (name) => name.endsWith('.jsonl'),
  belonging: (line) => {
    const record = parseRecord(line);
    const cwd = record?.['type'] === 'session_start' ? textOf(record['cwd']) : undefined;
    return cwd ? { cwd, is_sub_agent: idOf(record?.['callingSessionId']) !== undefined } : null;
  },
};
