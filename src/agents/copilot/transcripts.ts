/** The places of Copilot CLI's sessions: a folder for each, with its events in it; in older versions a file for each. */
import { objectOf, textOf } from '../../core/json.ts';
import type { AgentTranscripts, KnownFile } from '../contract/transcript-places.ts';
import { parseRecord } from '../shared/fields.ts';

/** Other files beside the events of a session. */
const KNOWN: readonly KnownFile[] = [
  { path: /^[^/]+\/(checkpoints|files|research|rewind-snapshots|snapshots)(\/|$)/, what: 'copies of files, plans' },
  { path: /^[^/]+\/(workspace\.(yaml|json)|plan\.md|vscode\.metadata\.json|inuse\.\d+\.lock)$/, what: 'states' },
  { path: /^[^/]+\/session\.db(-wal|-shm)?$/, what: 'lists of things to do' },
];

export const copilotTranscripts: AgentTranscripts = {
  agent: 'copilot',
  title: 'Copilot CLI',
  folder: '.copilot',
  folderVariable: 'COPILOT_HOME',
  retention: null,
  roots: ['session-state', 'history-session-state'],
  // Used up to 1.0.3.
  switches: [
    { variable: 'XDG_STATE_HOME', below: '.copilot', names: 'home', isShared: true },
    { variable: 'XDG_CONFIG_HOME', below: '.copilot', names: 'home', isShared: true },
  ],
  hasProjectFolders: true,
  projectFile: {
    name: 'workspace.yaml',
    path: (text) => /^cwd:[ \t]*["']?(.*?)["']?[ \t]*$/m.exec(text)?.[1] || undefined,
  },
  known: KNOWN,
  silent: /^(session|assistant|tool|hook|subagent|skill|system)\.|^abort$/,
  holds: ([session, deeper]) => (session === undefined || deeper !== undefined ? 'no' : 'perhaps'),
  isConversation: (name) => name.endsWith('.jsonl'),
  belonging: (line) => {
    const record = parseRecord(line);
    const data = /^session\.(start|resume)$/.test(textOf(record?.['type']) ?? '')
      ? objectOf(record?.['data'])
      : undefined;
    const cwd = textOf(objectOf(data?.['context'])?.['cwd']);
    return cwd ? { cwd, is_sub_agent: false } : null;
  },
};
