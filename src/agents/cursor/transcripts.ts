/** Where Cursor keeps transcripts: a folder named after each folder that it worked in, and in it one for each conversation. */
import { createHash } from 'node:crypto';
import { type AgentTranscripts, type KnownFile, nameOfPath } from '../contract/transcript-places.ts';
import { AGENT_NAME } from './name.ts';

const FOLDER = 'agent-transcripts';
/** What lies beside the transcript of a conversation: those of its sub-agents. */
const SUB_AGENTS = 'subagents';

/** What lies in the folder of a project beside the conversations. */
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
  agent: AGENT_NAME,
  title: 'Cursor',
  folder: '.cursor',
  retention: null,
  roots: ['projects'],
  switches: [
    { variable: 'CURSOR_CONFIG_DIR', names: 'home' },
    { variable: 'CURSOR_DATA_DIR', names: 'home' },
  ],
  hasProjectFolders: true,
  // Its program for terminals writes a transcript of most of them.
  chats: {
    root: 'chats',
    holds: (name, projects) => projects.some((path) => createHash('md5').update(path).digest('hex') === name),
    file: 'store.db',
  },
  known: KNOWN,
  silent: /^turn_ended$/,
  holds: ([name, folder = FOLDER, conversation, deeper], projects) => {
    const isConversations = folder === FOLDER && conversation !== SUB_AGENTS && deeper === undefined;
    // No line tells more than this name does: of what lies below a project nobody could say whose it is.
    return name !== undefined && isConversations && projects.map(nameOfPath).includes(name) ? 'own' : 'no';
  },
  isConversation: (name) => name.endsWith('.jsonl'),
  belonging: () => null,
};
