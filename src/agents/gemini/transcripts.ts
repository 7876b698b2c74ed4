/** The places of Gemini CLI's conversations: a folder for each project, known by its `.project_root`, or a hash of its path. */
import { createHash } from 'node:crypto';
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { AgentTranscripts, KnownFile, Retention } from '../contract/transcript-places.ts';
import { settingAt } from './settings.ts';

/** Returns Gemini CLI's id of a project: the hash of its path. */
const projectHash = (path: string): string => createHash('sha256').update(path).digest('hex');

/** Other files beside the chats. */
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

/** The number of days if no setting says otherwise. */
const DEFAULT_DAYS = 30;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24 };

export const geminiRetention: Retention = {
  project: ['settings.json'],
  user: ['settings.json'],
  days: (settings) => {
    const retentions = settings.map(retentionIn);
    if (isOff(retentions)) return null;
    const age = retentions.map((one) => textOf(one['maxAge'])).find((text) => text !== undefined) ?? '';
    const [, count, unit = ''] = /^(\d{1,6})([hdwm])$/.exec(age) ?? [];
    return count === undefined ? DEFAULT_DAYS : (Number(count) * (HOURS[unit] ?? 24)) / 24;
  },
  sooner: (settings) =>
    isOff(settings.map(retentionIn)) ? null : 'a conversation that was resumed goes at one of the next starts',
  longer: '"general": {"sessionRetention": {"enabled": false}}',
  decides: (text) => typeof retentionIn(text)['enabled'] === 'boolean',
};

const retentionIn = (text: string): JsonObject => objectOf(settingAt(text, 'general', 'sessionRetention')) ?? {};

/** Returns whether nothing is deleted, by the first settings that decide it. */
const isOff = (retentions: readonly JsonObject[]): boolean =>
  retentions.map((one) => one['enabled']).find((value) => typeof value === 'boolean') === false;

export const geminiTranscripts: AgentTranscripts = {
  agent: 'gemini',
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
  // Only one line of a conversation is given, and an older one is a single document of many lines.
  belonging: (line, projects) => {
    const hash = /"projectHash":\s*"([0-9a-f]{64})"/.exec(line)?.[1];
    if (hash === undefined) return null;
    const cwd = projects.find((path) => projectHash(path) === hash) ?? '';
    return { cwd, is_sub_agent: /"kind":\s*"subagent"/.test(line) };
  },
};
