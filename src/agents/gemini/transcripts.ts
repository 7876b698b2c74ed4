/** Where Gemini CLI keeps conversations: a folder for each project, known by `.project_root` in it (`companion.ts`), or a hash of its path. */
import { createHash } from 'node:crypto';
import type { AgentTranscripts, KnownFile } from '../contract/transcript-places.ts';
import { AGENT_NAME } from './name.ts';
import { geminiRetention } from './retention.ts';

/** What Gemini CLI calls a project: the hash of its path. */
const projectHash = (path: string): string => createHash('sha256').update(path).digest('hex');

/** What lies beside the chats. */
const KNOWN: readonly KnownFile[] = [
  { path: /^(bin|background-processes|tracker)(\/|$)/, what: 'programs and their states' },
  { path: /^[^/]+\/(\.project_root|shell_history|logs\.json)$/, what: 'the path of the project, lists of prompts' },
  {
    path: /^[^/]+\/(checkpoints?|logs|memory|otel|plans|shell|tasks|tool-outputs|tool_output|tracker|images)(\/|$)/,
    what: 'copies of files, outputs of tools',
  },
  {
    path: /^[^/]+\/(checkpoint-[^/]+|[^/]*installation_id)\.json$/,
    what: 'conversations that were saved by name, from their chats',
  },
  { path: /^[^/]+\/chats\/[0-9a-f-]{36}\/[^/]+\.jsonl?$/, what: 'sub-agents' },
  { path: /^[^/]+\/[0-9a-f-]{36}(\/|$)/, what: 'plans and tasks of one conversation' },
];

export const geminiTranscripts: AgentTranscripts = {
  agent: AGENT_NAME,
  title: 'Gemini CLI',
  folder: '.gemini',
  folderVariable: 'GEMINI_CLI_HOME',
  belowVariable: '.gemini',
  retention: geminiRetention,
  roots: ['tmp'],
  switches: [],
  hasProjectFolders: true,
  projectFile: { name: '.project_root', path: (text) => text.trim() || undefined },
  known: KNOWN,
  silent: /^(header|info|warning|error|user|gemini|\$set|\$rewindTo)$/,
  // A folder has the name of its project, or in older versions its hash.
  holds: ([name, chats, deeper], projects) => {
    if (name === undefined || deeper !== undefined || (chats !== undefined && chats !== 'chats')) return 'no';
    return chats !== undefined && projects.some((path) => projectHash(path) === name) ? 'own' : 'perhaps';
  },
  isConversation: (name) => /^session-.*\.jsonl?$/.test(name),
  // One line of a conversation is all that is given, and an older one is a single document of many lines.
  belonging: (line, projects) => {
    const hash = /"projectHash":\s*"([0-9a-f]{64})"/.exec(line)?.[1];
    if (hash === undefined) return null;
    const cwd = projects.find((path) => projectHash(path) === hash) ?? '';
    return { cwd, is_sub_agent: /"kind":\s*"subagent"/.test(line) };
  },
};
