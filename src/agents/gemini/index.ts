/** Gemini CLI: its chats, its hooks, and the user's words. */

import type { About, Agent, Companion } from '../contract/agent.ts';
import type { PermissionPoint } from '../contract/hook-settings.ts';
import { hasRecord } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { askedAt } from '../shared/permission-point.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { amongOthers, geminiDialect } from './dialect.ts';
import { GEMINI_FOREIGN } from './foreign.ts';
import { readHook } from './hook.ts';
import { geminiHooks } from './hooks.ts';
import { isOurs, readRecords } from './record.ts';
import { isSameRun } from './same.ts';
import { geminiTranscripts } from './transcripts.ts';
import { isChatDocument, unfoldChat } from './unfold.ts';
import { geminiWriter } from './write.ts';

const geminiCompanion: Companion = {
  // Chats are in a folder of their own in that of the project, those of a sub-agent one further down.
  placesOf: () => ['../.project_root', '../../.project_root'],
  about: (text) => {
    const cwd = text.trim();
    return cwd === '' ? {} : { cwd };
  },
};

/** A sub-agent's chat, in a folder with the whole id of the session that started it; the user's own chats begin with `session-`. */
const BELOW_PARENT = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(?!session-)[^/]+\.jsonl?$/;

/** Returns the session that started the one of a chat, by its path. */
function parentAbove(path: string): About {
  const [, parent] = BELOW_PARENT.exec(path) ?? [];
  return parent === undefined ? {} : { parent_agent_session_id: parent };
}

/** The hook before a tool can only refuse it: what it allows, Gemini CLI asks its user for all the same. */
const permissions: PermissionPoint = {
  asked: (payload) => askedAt(payload, 'BeforeTool'),
  answer: ({ verdict, reason }) => (verdict === 'deny' ? { decision: verdict, reason } : null),
};

export const gemini: Agent = {
  name: 'gemini',
  hooks: { hasAnswers: true, read: (payload) => readHook(payload), permissions, settings: () => geminiHooks },
  places: () => geminiTranscripts,
  isSame: (one, other) => isSameRun(one, other),
  usersWords: (texts) => ownWordsIn(texts, GEMINI_FOREIGN),
  recognises: (beginning) => hasRecord(beginning, readRecords, isOurs) || isChatDocument(beginning),
  unfold: (document) => unfoldChat(document),
  companion: geminiCompanion,
  aboutPath: parentAbove,
  isOurs: (record) => isOurs(record),
  hasTwoForms: true,
  get write() {
    return geminiWriter;
  },
  reader: (resume, beside) => new VersionReader(beside?.isBelowCaller === false ? amongOthers : geminiDialect, resume),
};
