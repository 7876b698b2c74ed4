/** Redacts the chunks of a stream: a secret may come in pieces, of which none looks like one. */
import { type Counts, count } from '../../core/counts.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Chunk } from '../../core/run/chunk.ts';
import type { Repository } from '../../history/store/repository.ts';
import { findSecrets, markerFor, type RedactionOptions } from '../../secrets/index.ts';
import { labelOf, type Redaction, redactionFor, redactionOptions } from './redact.ts';

/** So much of a text is looked at before what is new of it: names of secrets come shortly before them. */
const CONTEXT = 256;
/** Longest text that is held back until its end is known, because it looks like a secret. */
const LONGEST_HELD = 65_536;

/** An end of a text in which a secret may have begun with too few signs to look like one: behind a name, or behind the prefix of a vendor. */
const MAY_BEGIN = /(?:[:=]\s*["'`]?|[A-Za-z]{2}[_-])[\w+/.!@#$%^&*-]{0,11}$/;
/** Signs as a secret has them. */
const AS_IN_SECRET = 'q7Zx9Kp2Lm4Tv8Rw6Ys3Nd5Hb1Jc0Fg2Qa8WeT';

/** Redacts a text that comes in pieces. What may be the beginning of a secret is given out with a later piece, or at the end. */
class GrowingText {
  readonly #options: RedactionOptions;
  readonly #label: ReturnType<typeof labelOf>;
  readonly #counts: Counts;
  /** The end of what was given out, and what is held. */
  #text = '';
  /** Position in that text at which the held part begins. */
  #past = 0;

  constructor(options: RedactionOptions, label: ReturnType<typeof labelOf>, counts: Counts) {
    this.#options = options;
    this.#label = label;
    this.#counts = counts;
  }

  push(piece: string, isEnd = false): string {
    this.#text += piece;
    const text = this.#text;
    const parts: string[] = [];
    let stop = text.length;
    for (const { rule, start, end, partial, meant } of findSecrets(text, this.#options, !isEnd)) {
      if (end <= this.#past) continue;
      if (!isEnd && end >= text.length && text.length - start < LONGEST_HELD) {
        stop = Math.max(start, this.#past);
        break;
      }
      if (start > this.#past) parts.push(text.slice(this.#past, start));
      parts.push(markerFor(rule, meant ?? text.slice(start, end), this.#label, partial));
      count(this.#counts, rule);
      this.#past = end;
    }
    if (!isEnd) stop = Math.min(stop, this.#beginningIn(text));
    if (stop > this.#past) {
      parts.push(text.slice(this.#past, stop));
      this.#past = stop;
    }
    const drop = Math.max(0, this.#past - CONTEXT);
    this.#text = text.slice(drop);
    this.#past -= drop;
    return parts.join('');
  }

  /** Returns the start of a last word that would be a secret if it continued as secrets do, else the end of text. */
  #beginningIn(text: string): number {
    if (!MAY_BEGIN.test(text.slice(-LONGEST_BEGINNING))) return text.length;
    const continued = text + AS_IN_SECRET;
    // A long word alone is no reason: most words that begin here do not continue so.
    const found = [
      ...findSecrets(continued, this.#options, true).filter(({ rule }) => rule !== 'secret'),
      ...findSecrets(continued, this.#options),
    ].find(({ end }) => end > text.length);
    return found ? Math.max(this.#past, Math.min(found.start, text.length)) : text.length;
  }
}

/** So much of the end of a text is searched for the beginning of a secret. */
const LONGEST_BEGINNING = 48;

/** The field of a chunk that holds the next piece of a text, and the chunk that ends that text. */
const PIECES: Record<string, { field: string; id: string }> = {
  'text-delta': { field: 'delta', id: 'id' },
  'reasoning-delta': { field: 'delta', id: 'id' },
  'tool-input-delta': { field: 'inputTextDelta', id: 'toolCallId' },
};
const ENDS: Record<string, string> = {
  'text-end': 'text-delta',
  'reasoning-end': 'reasoning-delta',
  'tool-input-available': 'tool-input-delta',
  'tool-input-error': 'tool-input-delta',
};

/** Keys of a chunk that are ids and words of the format. */
const STRUCTURE = new Set(
  'type id messageId toolCallId toolName approvalId sourceId mediaType state finishReason dynamic providerExecuted preliminary transient'.split(
    ' ',
  ),
);

/** Known fields of a call that has no result yet. */
type Call = Pick<JsonObject, 'toolName' | 'input'>;

/** Redacts the chunks of one stream, in their order. */
export class ChunkRedactor {
  readonly #redaction: Redaction;
  readonly #make: () => GrowingText;
  readonly #texts = new Map<string, GrowingText>();
  readonly #calls = new Map<string, Call>();

  constructor(repository: Repository) {
    this.#redaction = redactionFor(repository);
    const [options, label] = [redactionOptions(repository), labelOf(repository)];
    this.#make = () => new GrowingText(options, label, this.#redaction.counts);
  }

  get counts(): Readonly<Counts> {
    return this.#redaction.counts;
  }

  /** Returns what is stored of a chunk: often itself; with another before it, if it ends a text of which something was held. */
  redact(chunk: Chunk): Chunk[] {
    if (!this.#redaction.isOn) return [chunk];
    const piece = PIECES[chunk.type];
    if (piece) return [this.#redactPiece(chunk, piece)];
    const ended = ENDS[chunk.type];
    const rest = ended === undefined ? [] : this.#restOf(ended, chunk);
    return [...rest, this.#redactWhole(chunk)];
  }

  /** Returns what is held of texts whose end has not come: at the end of the stream it is known what is a secret. */
  rest(): Chunk[] {
    return [...this.#texts].flatMap(([key]) => {
      const at = key.indexOf(' ');
      const [type, id] = [key.slice(0, at), key.slice(at + 1)];
      return this.#restOf(type, { type, id, toolCallId: id });
    });
  }

  #redactPiece(chunk: Chunk, { field, id }: { field: string; id: string }): Chunk {
    const delta = chunk[field];
    if (typeof delta !== 'string') return chunk;
    const key = `${chunk.type} ${String(chunk[id])}`;
    let text = this.#texts.get(key);
    if (!text) {
      text = this.#make();
      this.#texts.set(key, text);
    }
    const clean = text.push(this.#redaction.kept(delta));
    const others = Object.keys(chunk).length > 3 ? this.#redactWhole({ ...chunk, [field]: '' }) : chunk;
    return clean === delta && others === chunk ? chunk : { ...others, [field]: clean };
  }

  #restOf(type: string, chunk: Chunk): Chunk[] {
    const { field, id } = PIECES[type] as { field: string; id: string };
    const key = `${type} ${String(chunk[id])}`;
    const rest = this.#texts.get(key)?.push('', true) ?? '';
    this.#texts.delete(key);
    return rest === '' ? [] : [{ type, [id]: chunk[id], [field]: rest }];
  }

  /** Redacts a chunk as the part that it makes: what a tool gives is judged by what it was called with. */
  #redactWhole(chunk: Chunk): Chunk {
    const open = Object.entries(chunk).filter(([key]) => !STRUCTURE.has(key));
    if (open.length === 0) return chunk;
    const rest = Object.fromEntries(open) as JsonObject;
    const isCall = chunk.type.startsWith('tool-');
    const id = String(chunk['toolCallId']);
    if (chunk.type === 'tool-input-available')
      this.#calls.set(id, { toolName: chunk['toolName'], input: chunk['input'] });
    const call = isCall ? this.#calls.get(id) : undefined;
    if (chunk.type.startsWith('tool-output-') && chunk['preliminary'] !== true) this.#calls.delete(id);
    const part = isCall
      ? { type: 'dynamic-tool', state: stateOf(chunk), ...call, ...rest }
      : { type: chunk.type, ...rest };
    const body = { kind: 'part', message_id: id, part_id: id, part: part as JsonValue };
    const clean = this.#redaction.value(body).part as JsonObject;
    const stored = Object.fromEntries(Object.keys(rest).flatMap((key) => (key in clean ? [[key, clean[key]]] : [])));
    // A key may be a secret itself, and has another name then.
    const renamed = Object.entries(clean).filter(([key]) => !(key in part));
    return {
      ...chunk,
      ...Object.fromEntries(open.map(([key]) => [key, undefined])),
      ...stored,
      ...Object.fromEntries(renamed),
    };
  }
}

const stateOf = ({ type }: Chunk): string =>
  type === 'tool-output-error'
    ? 'output-error'
    : type.startsWith('tool-output')
      ? 'output-available'
      : 'input-available';
