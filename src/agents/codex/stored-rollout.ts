/** Reads the stored part of a rollout: messages by their words, as compactions name them, and by ordinals, as cuts do. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { fingerprint } from '../shared/fields.ts';
import { StoredTranscript } from '../shared/stored-transcript.ts';
import { Counter, type ReportedSum, type Sum, sumIn } from './counter.ts';
import { baseOf } from './lineage.ts';
import { contentOf, typeOf } from './record.ts';
import { promptOf } from './user-words.ts';

/** Computes the fingerprint of a message: its role and texts. */
export function wordsOf(role: string, parts: readonly object[]): number {
  const texts = parts.map((part) => (part as { text?: unknown }).text).filter((text) => typeof text === 'string');
  return fingerprint([role, ...texts].join('\0'));
}

/** The ordinals of messages and sums. */
class Ordinals {
  readonly messages = new Map<string, number>();
  readonly sums: { ordinal: number; sum: ReportedSum }[] = [];
  readonly #session: string | undefined;

  constructor(session: string | undefined) {
    this.#session = session;
  }

  *noting(bodies: Iterable<AnyBody>): Generator<AnyBody> {
    for (const body of bodies) {
      this.#note(body as JsonObject);
      yield body;
    }
  }

  #note({ kind, message, data }: JsonObject): void {
    if (kind === 'message' && isObject(message)) {
      const ordinal = ordinalOf(linesIn(message)[0]);
      if (ordinal !== undefined && typeof message['id'] === 'string') this.messages.set(message['id'], ordinal);
    }
    if (kind !== 'raw' || !isObject(data)) return;
    const ordinal = ordinalOf(data);
    const cut = data['type'] === 'session_meta' ? baseOf(objectOf(data['payload']) ?? {})?.end : undefined;
    // A record that was taken back says nothing of what comes after it.
    if (cut !== undefined)
      this.sums.splice(0, Number.POSITIVE_INFINITY, ...this.sums.filter((sum) => sum.ordinal < cut));
    const sum = sumIn(typeOf(data), contentOf(data).payload, this.#session);
    if (ordinal !== undefined && sum) this.sums.push({ ordinal, sum });
  }
}

const ordinalOf = (record: JsonValue | undefined): number | undefined => numberOf(objectOf(record)?.['ordinal']);

function linesIn(message: JsonObject): JsonValue[] {
  const lines = objectOf(message['metadata'])?.['lines'];
  return Array.isArray(lines) ? lines : [];
}

export class StoredRollout extends StoredTranscript {
  /** The latest message that the agent did not make, by what it says. */
  readonly words: Map<number, string>;
  readonly #ordinals: Ordinals;

  /** @param session the agent's own id of it */
  constructor(
    bodies: Iterable<AnyBody>,
    { prompt, speaker }: { prompt: string | null; speaker: string | null },
    session: string | undefined,
  ) {
    const words = new Map<number, string>();
    const ordinals = new Ordinals(session);
    super(ordinals.noting(bodies), {
      prompt,
      speaker,
      words: (content) => promptOf({ content }),
      hear: (id, role, parts) => {
        if (role !== 'assistant') words.set(wordsOf(role, parts), id);
      },
    });
    this.words = words;
    this.#ordinals = ordinals;
  }

  /** Counts the prompts in view that have an ordinal or a later one. */
  promptsFrom(ordinal: number): number {
    const { messages } = this.#ordinals;
    return [...this.visible].filter(([id, isPrompt]) => isPrompt && (messages.get(id) ?? -1) >= ordinal).length;
  }

  /** The sum of the session before an ordinal; null if no sum has that ordinal or a later one. */
  sumBefore(ordinal: number): Sum | null {
    const { sums } = this.#ordinals;
    if (!sums.some((each) => each.ordinal >= ordinal)) return null;
    const counter = new Counter({});
    for (const each of sums) if (each.ordinal < ordinal) counter.take(each.sum);
    return counter.sum;
  }
}
