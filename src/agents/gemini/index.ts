/** Gemini CLI: how its chats are recognised, and who reads them. */
import type { Agent } from '../contract/agent.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { geminiCompanion, parentAbove } from './companion.ts';
import { AGENT_NAME } from './name.ts';
import { isOurs, readRecords } from './record.ts';
import { amongOthers, geminiDialect } from './tell.ts';
import { isChatDocument, unfoldChat } from './unfold.ts';

export const gemini: Agent = {
  name: AGENT_NAME,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    return lines.some((line) => readRecords(line).records.some(isOurs)) || isChatDocument(beginning);
  },
  unfold: unfoldChat,
  companion: geminiCompanion,
  aboutPath: parentAbove,
  isOurs,
  hasTwoForms: true,
  reader: (resume, beside) => new VersionReader(beside?.isBelowCaller === false ? amongOthers : geminiDialect, resume),
};
