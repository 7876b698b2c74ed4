/** What the talk of a transcript of lines works with, and one record of it on its way into what is kept. */
import type { JsonObject } from '../../core/json.ts';
import type { Conversation } from './conversation.ts';
import type { Known } from './known.ts';
import type { Live } from './live.ts';
import type { Outbox } from './outbox.ts';
import type { PlainAgent } from './plain-agent.ts';
import type { StoredTranscript } from './stored-transcript.ts';
import type { RecordPlace, StreamedPlace, TextualPart } from './streamed.ts';
import type { Turn } from './turn.ts';

/** What talk works with. */
export interface Tools {
  agent: PlainAgent;
  outbox: Outbox;
  live: Live;
  conversation: Conversation;
  turn: Turn;
  known: Known;
  /** What is kept of earlier parts; null where there is none. */
  kept: () => StoredTranscript | null;
  /** What there is of a text before a record, by the file; null where that is not known. */
  textBefore: (from: StreamedPlace, until: RecordPlace) => TextualPart | null;
}

/** One record on its way into what is kept. */
export interface Entry {
  /** Stands for the record, and for the first message that it makes where that has no id of its own. */
  id: string;
  place: RecordPlace;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
  /** What is kept of the line itself. */
  line: JsonObject;
  /** Its place in the tree; undefined where it has none. */
  node: string | undefined;
  /** What the agent remembered when it came. */
  memory: JsonObject;
  /** What it has to remember of the calls that came back with it. */
  learned: JsonObject;
  /** Whether the line stands in a message already. */
  isKept: boolean;
  /** Whether it is another text of a record that was read before: that was acted on then. */
  isAnew: boolean;
  /** How many messages it made. */
  messages: number;
}
