/** The places of Cursor's transcripts: a folder named after each folder that it worked in, with a folder for each conversation. */
import { createHash } from 'node:crypto';
import { type AgentTranscripts, type KnownFile, nameOfPath } from '../contract/transcript-places.ts';

const FOLDER = 'agent-transcripts';
/** The folder beside the transcript of a conversation with those of its sub-agents. */
const SUB_AGENTS = 'subagents';

/** Other files in the folder of a project. */
const KNOWN: readonly KnownFile[] = [
  { path: /^[^/]+\/agent-transcripts\/([^/]+\/)?subagents\/[^/]+\.jsonl$/, what: 'sub-agents', isSubAgent: true },
  { path: /^[^/]+\/agent-transcripts\/([^/]+\/)?subagents\/(?!.*\.jsonl)/, what: 'what lies beside sub-agents' },
  {
    path: /^[^/]+\/(agent-tools|agent-notes|assets|canvases|mcps|rules|terminals|uploads|worker)(\/|$)/,
    what: 'outputs of tools, copies of files',
  },
  {
    path: /^[^/]+\/(mcp-approvals\.json|mcp-cache\.json|repo\.json|\.workspace-trusted|worker\.log)$/,
    what: 'settings',
  },
];

export const cursorTranscripts: AgentTranscripts = {
  agent: 'cursor',
  title: 'Cursor',
  folder: '.cursor',
  retention: null,
  roots: ['projects'],
  switches: [
    { variable: 'CURSOR_CONFIG_DIR', names: 'home' },
    { variable: 'CURSOR_DATA_DIR', names: 'home' },
  ],
  hasProjectFolders: true,
  // Most conversations in terminals have a transcript, too.
  chats: {
    root: 'chats',
    holds: (name, projects) => projects.some((path) => createHash('md5').update(path).digest('hex') === name),
    file: 'store.db',
  },
  known: KNOWN,
  silent: /^turn_ended$/,
  holds: ([name, folder = FOLDER, conversation, deeper], projects) => {
    const isConversations = folder === FOLDER && conversation !== SUB_AGENTS && deeper === undefined;
    // Only this name identifies the project: conversations of a folder below it cannot be attributed.
    return name !== undefined && isConversations && projects.map(nameOfPath).includes(name) ? 'own' : 'no';
  },
  isConversation: (name) => name.endsWith('.jsonl'),
  belonging: () => null,
};
