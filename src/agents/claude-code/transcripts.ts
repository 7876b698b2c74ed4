/** Where Claude Code keeps transcripts: a folder for each folder that it worked in, a file for each conversation. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { AgentTranscripts, KnownFile } from '../contract/transcript-places.ts';
import { isTrue } from './fields.ts';
import { SILENT } from './line-types.ts';
import { readRecords } from './record.ts';
import { claudeCodeRetention } from './retention.ts';

/** Longest name of a folder; of a longer one Claude Code keeps the beginning and adds a hash. */
const NAME_LIMIT = 200;

/** The name of the folder that transcripts of a folder lie in: whatever is no letter or digit is a hyphen. */
export const folderNameOf = (cwd: string): string => cwd.replace(/[^a-zA-Z0-9]/g, '-').slice(0, NAME_LIMIT);

/** Whether a message is a sub-agent's own, in a file of its own. */
const isSubAgents = (record: JsonObject): boolean =>
  isTrue(record['isSidechain']) && textOf(record['agentId']) !== undefined && objectOf(record['message']) !== undefined;

/** What lies in the folder of a project beside its conversations. */
const KNOWN: readonly KnownFile[] = [
  { path: /^[^/]+\/([^/]+\/)?(subagents\/(.+\/)?)?agent-[^/]+\.jsonl$/, what: 'sub-agents', isSubAgent: true },
  { path: /^[^/]+\/([^/]+\/)?(subagents\/(.+\/)?)?agent-[^/]+\.meta\.json$/, what: 'descriptions of sub-agents' },
  { path: /^[^/]+\/[^/]+\/subagents\/(.+\/)?journal\.jsonl$/, what: 'journals of sub-agents' },
  {
    path: /^[^/]+\/([^/]+\/)?(tool-results|session-memory|workflows)(\/|$)/,
    what: 'outputs of tools, memories, plans',
  },
  { path: /^[^/]+\/[^/]+\/remote-agents(\/|$)/, what: 'states of agents elsewhere' },
  { path: /^[^/]+\/memory(\/|$)/, what: 'memories' },
  { path: /^[^/]+\/(sessions-index\.json|bridge-pointer\.json|\.session-aliases)$/, what: 'indexes' },
];

export const claudeCodeTranscripts: AgentTranscripts = {
  agent: 'claude-code',
  title: 'Claude Code',
  folder: '.claude',
  folderVariable: 'CLAUDE_CONFIG_DIR',
  retention: claudeCodeRetention,
  // Releases of 2025 kept all of it there; there is no switch for the transcripts alone.
  switches: [{ variable: 'XDG_CONFIG_HOME', below: 'claude', unset: '.config', names: 'home', isShared: true }],
  hasProjectFolders: true,
  projectVariable: 'CLAUDE_CODE_PROJECT_DIR_NAME',
  known: KNOWN,
  silent: SILENT,
  roots: ['projects'],
  holds: (names, projects) => {
    // What lies deeper is a conversation's own: its sub-agents, and outputs of tools.
    const [name, deeper] = names;
    if (name === undefined || deeper !== undefined) return 'no';
    const own = projects.map(folderNameOf);
    if (own.includes(name)) return 'own';
    const isBelow = (start: string): boolean => name.startsWith(start.length < NAME_LIMIT ? `${start}-` : start);
    return own.some(isBelow) ? 'perhaps' : 'no';
  },
  isConversation: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
  belonging: (line) => {
    for (const record of readRecords(line).records) {
      const cwd = textOf(record['cwd']);
      if (cwd) return { cwd, is_sub_agent: isSubAgents(record) };
    }
    return null;
  },
};
