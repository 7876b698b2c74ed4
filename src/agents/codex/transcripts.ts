/** The places of Codex's transcripts: by year, month and day, those of all projects together. */
import { objectOf, textOf } from '../../core/json.ts';
import type { AgentTranscripts } from '../contract/transcript-places.ts';
import { parseRecord } from '../shared/fields.ts';
import { folderIn } from './old-rollout.ts';
import { isRollout } from './rollout-name.ts';
import { parentOf } from './session.ts';

export const codexTranscripts: AgentTranscripts = {
  agent: 'codex',
  title: 'Codex',
  folder: '.codex',
  folderVariable: 'CODEX_HOME',
  // Its `history.persistence` is about the list of prompts alone.
  retention: null,
  roots: ['sessions', 'archived_sessions'],
  // `CODEX_SQLITE_HOME` and `sqlite_home` move only databases, whose content is in the rollouts, too.
  switches: [],
  hasProjectFolders: false,
  known: [{ path: /(^|\/)[^/]+\.sqlite(-wal|-shm)?$/, what: 'indexes' }],
  silent:
    /^(session_meta|state|turn_context|event_msg\/.*|response_item\/.*|compacted|world_state|token_usage_record)$/,
  holds: (names) => (names.length <= 3 && names.every((name) => /^\d+$/.test(name)) ? 'perhaps' : 'no'),
  isConversation: isRollout,
  belonging: (line) => {
    const record = parseRecord(line);
    const payload = record?.['type'] === 'session_meta' ? objectOf(record['payload']) : undefined;
    // The first files of Codex had no envelope, and named the folder only in a text for the model.
    const told = payload ?? (record && !('type' in record) ? record : undefined);
    const cwd = textOf(told?.['cwd']) ?? (record && folderIn(record));
    return cwd ? { cwd, is_sub_agent: told !== undefined && parentOf(told).isSubAgent } : null;
  },
};
