/** The collaborators that handle the events of a record, and the record itself while it is handled. */
import type { JsonObject } from '../../core/json.ts';
import type { Conversation } from './conversation.ts';
import type { Known } from './known.ts';
import type { Live } from './live.ts';
import type { Outbox } from './outbox.ts';
import type { PlainAgent } from './plain-agent.ts';
import type { StoredTranscript } from './stored-transcript.ts';
import type { RecordPlace, StreamedPlace, TextualPart } from './streamed.ts';
import type { Turn } from './turn.ts';

/** The collaborators that handle events. */
export interface Tools {
  agent: PlainAgent;
  outbox: Outbox;
  live: Live;
  conversation: Conversation;
  turn: Turn;
  known: Known;
  /** Returns the kept records of earlier parts; null if there are none. */
  kept: () => StoredTranscript | null;
  /** Returns the text so far before a record, read from the file; null if it is unknown. */
  textBefore: (from: StreamedPlace, until: RecordPlace) => TextualPart | null;
}

/** One record while it is handled. */
export interface Entry {
  /** Identifies the record, and the first message that it makes if that has no id of its own. */
  id: string;
  place: RecordPlace;
  at: number;
  /** When the record before it was written, which is the end of a turn that this record ends. */
  before: number;
  /** The kept part of the line itself. */
  line: JsonObject;
  /** Its position in the tree; undefined if it has none. */
  node: string | undefined;
  /** The agent's state before it. */
  memory: JsonObject;
  /** The agent's new state from the calls whose results the record has. */
  newMemory: JsonObject;
  /** True if the line is kept in a message already. */
  isKept: boolean;
  /** True if it is another text of a record that was read before, whose events were handled then. */
  isRewritten: boolean;
  /** The number of messages that it made. */
  messages: number;
}
