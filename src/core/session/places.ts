/** Finds which fields of a document are structure: the document is a record, a session, or something that a hook or a reader holds. */

import { isObject, type JsonValue } from '../json.ts';
import { lazily } from '../lazily.ts';
import { originPlace } from '../origin.ts';
import { kindNamed } from '../records/table.ts';
import { ID, OBJECT_ID, OTHER, type Place, place, SHA256, STATE, WORD } from '../structure.ts';

const SOURCE = lazily(() => place({ agent: WORD, sha256: SHA256 }, { other_files: place({ sha256: SHA256 }) }));
const HAPPENING = lazily(() => place({ what: WORD, call_id: ID }));
const SESSION = lazily(() =>
  place(
    { session_id: ID, base: OBJECT_ID, continues: ID, parent_session_id: ID },
    {
      session_state: STATE(),
      ended: place({}, { type: STATE() }),
      sources: SOURCE(),
      squashed: place({ head: OBJECT_ID }),
      origin: originPlace(),
      resume_cursor: place({ cursor: ID, message_id: ID }),
    },
  ),
);

/** Returns what is structure in a record, in the state of a reader, in what a hook reports, or in a session or a part of one. */
export function placeOf(value: JsonValue): Place {
  if (!isObject(value)) return SESSION();
  if (typeof value.kind === 'string') return (kindNamed(value.kind)?.structure ?? OTHER)();
  if ('agent_session_id' in value) return SOURCE();
  return 'what' in value ? HAPPENING() : SESSION();
}
