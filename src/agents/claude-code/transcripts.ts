/** The places of Claude Code's transcripts: a folder for each folder that it worked in, with a file for each conversation. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { propertiesOf, readJsonc } from '../../core/jsonc.ts';
import type { AgentTranscripts, KnownFile, Retention } from '../contract/transcript-places.ts';
import { SILENT } from './line-types.ts';
import { readRecords } from './record.ts';

/** Longest name of a folder; of a longer one Claude Code keeps the beginning and adds a hash. */
const NAME_LIMIT = 200;

/** Returns the name of the folder with the transcripts of a folder: every character but letters and digits is a hyphen. */
export const folderNameOf = (cwd: string): string => cwd.replace(/[^a-zA-Z0-9]/g, '-').slice(0, NAME_LIMIT);

/** Returns whether a message is a sub-agent's own, in a file of its own. */
const isSubAgents = (record: JsonObject): boolean =>
  record['isSidechain'] === true &&
  textOf(record['agentId']) !== undefined &&
  objectOf(record['message']) !== undefined;

/** Other files in the folder of a project. */
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

/** The number of days if no setting says otherwise. */
const DEFAULT_DAYS = 30;

export const claudeCodeRetention: Retention = {
  project: ['settings.local.json', 'settings.json'],
  user: ['settings.json'],
  days: (settings) => settings.map(daysIn).find((days) => days !== undefined) ?? DEFAULT_DAYS,
  longer: '"cleanupPeriodDays": 3650',
  decides: (text) => daysIn(text) !== undefined,
};

function daysIn(text: string): number | undefined {
  try {
    const root = readJsonc(text);
    if (root?.type !== 'object') return undefined;
    const value: unknown = propertiesOf(root).findLast(({ key }) => key === 'cleanupPeriodDays')?.value.value;
    return typeof value === 'number' && value >= 0 ? value : undefined;
  } catch {
    // Settings that cannot be read set nothing.
    return undefined;
  }
}

export const claudeCodeTranscripts: AgentTranscripts = {
  agent: 'claude-code',
  title: 'Claude Code',
  folder: '.claude',
  folderVariable: 'CLAUDE_CONFIG_DIR',
  retention: claudeCodeRetention,
  // Releases of 2025 kept everything there; there is no switch for the transcripts alone.
  switches: [{ variable: 'XDG_CONFIG_HOME', below: 'claude', unset: '.config', names: 'home', isShared: true }],
  hasProjectFolders: true,
  projectVariable: 'CLAUDE_CODE_PROJECT_DIR_NAME',
  known: KNOWN,
  silent: SILENT,
  roots: ['projects'],
  holds: (names, projects) => {
    // Deeper files belong to one conversation: its sub-agents, and outputs of tools.
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
