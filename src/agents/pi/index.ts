/** pi: its sessions, its hooks, and the user's words. */

import type { Agent } from '../contract/agent.ts';
import { hasRecord, readLine } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { PI_FOREIGN } from './foreign.ts';
import { isOurs, piFormat } from './format.ts';
import { readHook } from './hook.ts';
import { piHooks } from './hooks.ts';
import { piTranscripts } from './transcripts.ts';
import { piWriter } from './write.ts';

export const pi: Agent = {
  name: 'pi',
  hooks: { read: (payload) => readHook(payload), settings: () => piHooks },
  places: () => piTranscripts,
  usersWords: (texts) => ownWordsIn(texts, PI_FOREIGN),
  recognises: (beginning) => hasRecord(beginning, (line) => readLine(line, piFormat.shape), isOurs),
  sessionIds: { file: /_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/ },
  isOurs: (record) => isOurs(record),
  get write() {
    return piWriter;
  },
  reader: (resume) => new PlainReader(piFormat, resume),
};
