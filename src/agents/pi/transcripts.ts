/** The places of pi's sessions: a folder for each folder that it worked in, with a file for each session. */
import { textOf } from '../../core/json.ts';
import type { AgentTranscripts } from '../contract/transcript-places.ts';
import { parseRecord } from '../shared/fields.ts';

/** Returns the name of the folder with the sessions of a folder, without the hyphens at its end. */
const beginningOf = (cwd: string): string => `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`;

export const piTranscripts: AgentTranscripts = {
  agent: 'pi',
  title: 'pi',
  folder: '.pi',
  homeFolder: '.pi/agent',
  folderVariable: 'PI_CODING_AGENT_DIR',
  retention: null,
  roots: ['sessions'],
  switches: [
    { variable: 'PI_CODING_AGENT_SESSION_DIR', names: 'transcripts' },
    { setting: { key: 'sessionDir', project: ['settings.json'], user: ['settings.json'] }, names: 'transcripts' },
  ],
  hasProjectFolders: true,
  known: [],
  silent: /^(session|session_info|model_change|thinking_level_change|label|custom|message\/(assistant|toolResult))$/,
  holds: ([name, deeper], projects) => {
    if (name === undefined || deeper !== undefined) return 'no';
    const own = projects.map(beginningOf);
    if (own.some((start) => name === `${start}--`)) return 'own';
    return own.some((start) => name.startsWith(`${start}-`)) ? 'perhaps' : 'no';
  },
  isConversation: (name) => name.endsWith('.jsonl'),
  belonging: (line) => {
    const record = parseRecord(line);
    const cwd = record?.['type'] === 'session' ? textOf(record['cwd']) : undefined;
    return cwd ? { cwd, is_sub_agent: false } : null;
  },
};
