/** Copilot CLI: its logs of events, and the user's words. */
import type { Agent } from '../contract/agent.ts';
import { hasRecord, readLine } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { COPILOT_FOREIGN } from './foreign.ts';
import { copilotFormat, isOurs } from './format.ts';
import { copilotTranscripts } from './transcripts.ts';

export const copilot: Agent = {
  name: 'copilot',
  places: () => copilotTranscripts,
  usersWords: (texts) => ownWordsIn(texts, COPILOT_FOREIGN),
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, (line) => readLine(line, copilotFormat.shape), isOurs) ||
    /^\ufeff?\s*\{"type":\s*"session\.start",\s*"data":\s*\{"sessionId":/.test(beginning),
  sessionIds: { file: /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/events)?\.jsonl$/ },
  isOurs: (record) => isOurs(record),
  reader: (resume) => new PlainReader(copilotFormat, resume),
};
