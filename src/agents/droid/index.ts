/** Droid, the agent of Factory: its sessions, and the user's words. */
import { objectOf, textOf } from '../../core/json.ts';
import type { Agent } from '../contract/agent.ts';
import { idOf, parseRecord } from '../shared/fields.ts';
import { hasRecord, readLine } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { DROID_FOREIGN } from './foreign.ts';
import { droidFormat, isOurs } from './format.ts';
import { droidTranscripts } from './transcripts.ts';

export const droid: Agent = {
  name: 'droid',
  places: () => droidTranscripts,
  usersWords: (texts) => ownWordsIn(texts, DROID_FOREIGN),
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, (line) => readLine(line, droidFormat.shape), isOurs) ||
    /^\ufeff?\s*\{"type":\s*"session_start",\s*"id":\s*"[^"]{1,256}",\s*"title":.{0,2000}"(?:sessionTitle|owner)":/s.test(
      beginning,
    ),
  sessionIds: { file: /(?:^|\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/ },
  // The state of a session: only there do older versions name the model.
  companion: {
    placesOf: (name) => [name.replace(/\.jsonl$/, '.settings.json')],
    about: (text) => {
      const model = idOf(textOf(objectOf(parseRecord(text))?.['model']));
      return model === undefined ? {} : { model };
    },
  },
  isOurs: (record) => isOurs(record),
  reader: (resume) => new PlainReader(droidFormat, resume),
};
