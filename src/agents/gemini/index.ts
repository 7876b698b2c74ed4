/** Gemini CLI: how its chats are recognised, and their reader. */
import type { About, Agent, Companion } from '../contract/agent.ts';
import { hasRecord } from '../shared/lines.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { amongOthers, geminiDialect } from './dialect.ts';
import { isOurs, readRecords } from './record.ts';
import { isChatDocument, unfoldChat } from './unfold.ts';

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

export const gemini: Agent = {
  name: 'gemini',
  recognises: (beginning) => hasRecord(beginning, readRecords, isOurs) || isChatDocument(beginning),
  unfold: unfoldChat,
  companion: geminiCompanion,
  aboutPath: parentAbove,
  isOurs,
  hasTwoForms: true,
  reader: (resume, beside) => new VersionReader(beside?.isBelowCaller === false ? amongOthers : geminiDialect, resume),
};
