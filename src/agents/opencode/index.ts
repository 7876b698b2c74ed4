/** opencode: its exports and databases, its hooks, and the user's words. */

import { textOf } from '../../core/json.ts';
import type { Agent } from '../contract/agent.ts';
import type { PermissionPoint } from '../contract/hook-settings.ts';
import { hasRecord } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { opencodeDialect } from './dialect.ts';
import { OPENCODE_FOREIGN } from './foreign.ts';
import { readHook } from './hook.ts';
import { opencodeHooks } from './hooks.ts';
import { isOurs, readRecords } from './record.ts';
import { opencodeCollections } from './transcripts.ts';
import { isExport, unfoldExport } from './unfold.ts';
import { opencodeWriter } from './write.ts';

/** The plugin passes what the tool gets; without that nothing is answered. */
const permissions: PermissionPoint = {
  asked: ({ hook_event_name, permission, permission_input, tool_call_id }) => {
    const tool = textOf(permission);
    if (hook_event_name !== 'question' || tool === undefined || permission_input === undefined) return null;
    return { tool, input: permission_input, call_id: textOf(tool_call_id) ?? null };
  },
  answer: ({ event, verdict }) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: verdict } }),
};

export const opencode: Agent = {
  name: 'opencode',
  hooks: { hasAnswers: true, read: (payload) => readHook(payload), permissions, settings: () => opencodeHooks },
  collections: () => opencodeCollections,
  usersWords: (texts) => ownWordsIn(texts, OPENCODE_FOREIGN),
  recognises: (beginning) => hasRecord(beginning, readRecords, isOurs) || isExport(beginning),
  unfold: (document) => unfoldExport(document),
  isOurs: (record) => isOurs(record),
  get write() {
    return opencodeWriter;
  },
  reader: (resume) => new VersionReader(opencodeDialect, resume),
};
