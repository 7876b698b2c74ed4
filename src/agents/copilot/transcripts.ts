/** Where Copilot CLI keeps sessions: a folder for each, with its events in it; before that a file for each. */
import { type JsonObject, objectOf, parseJson, textOf } from '../../core/json.ts';
import type { AgentTranscripts, KnownFile } from '../contract/transcript-places.ts';

/** What lies beside the events of a session. */
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
  // Heeded up to 1.0.3.
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
    const record = parsed(line);
    const data = /^session\.(start|resume)$/.test(textOf(record?.['type']) ?? '')
      ? objectOf(record?.['data'])
      : undefined;
    const cwd = textOf(objectOf(data?.['context'])?.['cwd']);
    return cwd ? { cwd, is_sub_agent: false } : null;
  },
};

function parsed(line: string): JsonObject | undefined {
  try {
    return objectOf(parseJson(line));
  } catch {
    return undefined;
  }
}
