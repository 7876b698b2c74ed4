/** Times for what a transcript tells without one. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TranscriptText } from './text.ts';

/**
 * Gives what has no time that of its transcript: it had happened when the file was last written. A file may have been
 * written by a clock that is ahead, but nothing has happened later than now.
 */
export function timeGiver(text: Pick<TranscriptText, 'writtenAt'>, clock: Clock) {
  let time: number | undefined;
  return (event: TranscriptEvent): TranscriptEvent => {
    if (!('at' in event) || event.at > 0) return event;
    // What is read in one go has one time, though the file may grow meanwhile.
    time ??= Math.min(text.writtenAt(), clock());
    if (event.type !== 'record') return { ...event, at: time };
    return { ...event, at: time, body: created(event.body, time) };
  };
}

/** A message tells by itself when it came. */
function created(body: AnyBody, at: number): AnyBody {
  if (!isMessage(body)) return body;
  return { ...body, message: { ...body.message, metadata: { ...body.message.metadata, created_at: at } } };
}

const isMessage = (body: AnyBody): body is Extract<AnyBody, { kind: 'message'; message: object }> =>
  body.kind === 'message';
