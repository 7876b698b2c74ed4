/** Reads the log of a run: its chunks, and between them what ctx notes of the run. Turns it into the records of its messages. */
import { overlaysOf } from '../conversation/acts.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Part } from '../message.ts';
import type { AnyBody } from '../records/record.ts';
import { isChunk } from './chunk.ts';
import { BY_PARENT, closedCall, isOpenCall } from './orphans.ts';
import { newReduction, partsOf, type Reduction, reduceChunk, type UIPart } from './reduce.ts';
import { storedPart } from './stored-part.ts';

/** A line of ctx's own: `run` comes first, `message` before the chunks of a message, the others at any place. */
export type LogNote = JsonObject & { ctx: 'run' | 'message' | 'stop' | 'redacted' };

const isNote = (line: JsonValue | undefined): line is LogNote =>
  isObject(line) && typeof line['ctx'] === 'string' && !isChunk(line);

/** A message of a run, as far as the log has it. */
interface LoggedMessage {
  id: string;
  /** The `seq` of its parts: more than that of any part that the message had before. */
  seq: number;
  /** The keys of the parts that it had before. */
  keys: readonly (string | null)[];
  /** The metadata that its record began with. */
  metadata: JsonObject;
  reduction: Reduction;
}

/** A run as its log has it. */
export interface LoggedRun {
  /** Null if the log is empty. */
  id: string | null;
  messages: LoggedMessage[];
  /** Stop that ended it; null if it was not stopped. */
  stop: { by: 'user' | 'parent'; calls: readonly string[] } | null;
  /** Redactions in it, by rule. */
  redacted: JsonObject | null;
}

/** Folds the lines of a log. @param lines in order, without a last one that is not whole */
export function foldLog(lines: Iterable<JsonValue>): LoggedRun {
  const run: LoggedRun = { id: null, messages: [], stop: null, redacted: null };
  for (const line of lines) {
    if (isNote(line)) takeNote(run, line);
    else if (isChunk(line)) {
      const last = run.messages.at(-1);
      if (last) reduceChunk(last.reduction, line);
    }
  }
  return run;
}

function takeNote(run: LoggedRun, note: LogNote): void {
  if (note.ctx === 'run') run.id = String(note['id']);
  if (note.ctx === 'redacted') run.redacted = isObject(note['counts']) ? note['counts'] : null;
  if (note.ctx === 'stop') {
    const calls = Array.isArray(note['calls']) ? note['calls'].map(String) : [];
    run.stop = { by: note['by'] === 'parent' ? 'parent' : 'user', calls };
  }
  if (note.ctx !== 'message') return;
  const parts = Array.isArray(note['parts']) ? (note['parts'] as unknown as UIPart[]) : [];
  const keys = Array.isArray(note['keys']) ? (note['keys'] as (string | null)[]) : [];
  const seq = typeof note['seq'] === 'number' ? note['seq'] : 0;
  const metadata = isObject(note['metadata']) ? note['metadata'] : {};
  run.messages.push({ id: String(note['id']), seq, keys, metadata, reduction: newReduction(parts) });
}

/** Returns the records that bring the messages of a run up to what its log has. */
export const recordsOfRun = (run: LoggedRun): AnyBody[] =>
  run.messages.flatMap((message) => recordsOfMessage(run, message));

/** Returns what an undo of the run takes out of view again: the messages that it has brought, and none that it has continued. */
export function viewOfRun({ id, messages }: LoggedRun): AnyBody[] {
  const show = messages.filter(({ keys }) => keys.length === 0).map((message) => message.id);
  return id === null || show.length === 0
    ? []
    : overlaysOf({ id, by: 'record', of: undefined, to: undefined }, { show });
}

function recordsOfMessage({ stop, redacted }: LoggedRun, message: LoggedMessage): AnyBody[] {
  const { id, seq, keys, reduction } = message;
  const own = ofMessage(reduction, stop);
  const records = partsOf(reduction).map((one, index): AnyBody => {
    const part = stopped(storedPart(one), stop);
    const part_id = keys[index] ?? (part.type === 'dynamic-tool' ? String(part.toolCallId) : `part-${index}`);
    return { kind: 'part', message_id: id, part_id, seq, part, recorded_by: 'ctx' };
  });
  const last = records.at(-1);
  // Fields of the message as a whole are in the record of its last part, or in the message if it has none.
  if (last) return [...records.slice(0, -1), { ...last, ...own, ...(redacted ? { redacted } : {}) }];
  const { metadata: gained, ...used } = own;
  const metadata = { ...message.metadata, ...(gained as JsonObject), ...used };
  return [{ kind: 'message', message: { id, role: 'assistant', parts: [], metadata } }];
}

/** Returns the fields that a reduction adds to its message as a whole. */
function ofMessage(reduction: Reduction, stop: LoggedRun['stop']): JsonObject {
  const { metadata, end, usage, step_usage, cost_usd, model } = reduction;
  const gained: JsonObject = {
    // A stream without an end was cut off.
    stream_end: end ? { kind: end.kind, ...(end.reason === undefined ? {} : { reason: end.reason }) } : null,
    ...(stop ? { stopped_by: stop.by } : {}),
    ...(metadata === undefined ? {} : { message_metadata: metadata }),
    ...(model === undefined ? {} : { model }),
    ...(step_usage === undefined ? {} : { step_usage: step_usage as JsonObject }),
  };
  return {
    metadata: gained,
    ...(usage === undefined ? {} : { usage: usage as JsonObject }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
  };
}

/** A part after its run was stopped: the calls of a sub-agent end with its parent, and so does the call that started one. */
function stopped(part: Part, stop: LoggedRun['stop']): Part {
  if (!stop || !isOpenCall(part)) return part;
  return stop.by === 'parent' || stop.calls.includes(part.toolCallId) ? closedCall(part, BY_PARENT) : part;
}

/** Returns the words of the error with which the stream of a run ended; null if it did not fail. */
export function failureOf(run: LoggedRun): string | null {
  return endOfRun(run) === 'fail' ? (run.messages.at(-1)?.reduction.end?.reason ?? null) : null;
}

/** Returns how the messages of a run ended, for its state. */
export function endOfRun({ messages, stop }: LoggedRun): 'finish' | 'stop' | 'fail' {
  const kind = messages.at(-1)?.reduction.end?.kind;
  if (stop || kind === undefined || kind === 'abort') return 'stop';
  return kind === 'error' ? 'fail' : 'finish';
}
