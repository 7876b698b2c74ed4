/** opencode: its exports and databases, its hooks, and the user's words. */

import type { Agent } from '../contract/agent.ts';
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

export const opencode: Agent = {
  name: 'opencode',
  hooks: { hasAnswers: true, read: (payload) => readHook(payload), settings: () => opencodeHooks },
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
