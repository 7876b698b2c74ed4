/** The queue of texts that were typed while the agent was at work: records of the queue, and the same texts when they arrive. */
import { isObject, type JsonObject, type JsonValue, numberOf, textOf } from '../../core/json.ts';
import { fingerprint } from '../shared/fields.ts';
import { textOfUser } from './user-words.ts';

/** The number of texts that are remembered; texts that an agent's death has lost must not pile up. */
const QUEUE_LIMIT = 64;

/**
 * The state of a text. Two things happen to it, in any order: it leaves the queue, and it appears in the conversation.
 * - `waiting`: neither yet.
 * - `taken`: it left the queue to become a prompt, which is still to come.
 * - `given`: it left the queue into the turn; an older Claude Code writes nothing more of it, a newer one an attachment.
 * - `answered`: the same, and the agent has continued since: a prompt with the same text is another one.
 * - `heard`: it is in the conversation; the record with which it leaves the queue may still come.
 */
const PLACES = ['taken', 'given', 'answered', 'waiting', 'heard'] as const;
type Place = (typeof PLACES)[number];

/** A text of the queue. */
export interface Queued {
  place: Place;
  /** The hash of the text: the text in a cursor may have been redacted since. */
  mark: number;
  /** Empty if it is unknown, or not needed any more; null if the program wrote it. */
  text: string | null;
  /** When it was queued, in Unix seconds. */
  at: number;
}

/** The queue. */
export class Queue {
  #all: Queued[];

  constructor(known: readonly Queued[]) {
    this.#all = [...known];
  }

  /** The state that the cursor holds. */
  get known(): Queued[] {
    return this.#all;
  }

  /** Reads a record of the queue; returns the text that the agent gets with it, in the middle of its turn. */
  take(record: JsonObject, at: number): string {
    const content = textOf(record['content']);
    const said = content === undefined ? undefined : textOfUser({}, [{ type: 'text', text: content }]);
    const text = said?.kind === 'prompt' ? said.text : said ? null : '';
    const mark = content === undefined ? null : markOf(text ?? content);
    switch (record['operation']) {
      case 'enqueue':
        this.#add({ place: 'waiting', mark: mark ?? 0, text, at });
        return '';
      case 'popAll':
        // The user takes the text back, to change it.
        this.#all = this.#all.filter((queued) => queued.place !== 'waiting' || queued.text === null);
        return '';
      case 'dequeue':
        this.#leaves(mark, 'taken', byAge);
        return '';
      case 'remove':
        return this.#leaves(mark, 'given', byUrgency) ?? this.#unseen(text ?? '', mark ?? 0, at);
      default:
        return '';
    }
  }

  #add(queued: Queued): void {
    this.#all = [...this.#all.slice(1 - QUEUE_LIMIT), queued];
  }

  /** Removes a text from the queue; returns it if it is not in the conversation yet, or null if there is none to remove. */
  #leaves(mark: number | null, place: 'taken' | 'given', order: (queued: Queued) => number): string | null {
    const here = this.#all.filter((queued) => queued.place === 'heard' || queued.place === 'waiting');
    const those = mark === null ? here : here.filter((queued) => queued.mark === mark);
    const found = those.toSorted((one, other) => order(one) - order(other))[0];
    if (!found) return null;
    const rest = found.place === 'heard' || found.text === null ? [] : [{ ...found, place, text: '' }];
    this.#all = this.#all.flatMap((queued) => (queued === found ? rest : [queued]));
    return found.text ?? '';
  }

  /** Returns a text that no earlier record contained. */
  #unseen(text: string, mark: number, at: number): string {
    if (text !== '') this.#add({ place: 'given', mark, text: '', at });
    return text;
  }

  /** Returns whether a text that an attachment brings into the turn is new. */
  attached(text: string, at: number): boolean {
    const found = this.#find(text, ['given', 'answered', 'waiting']);
    if (found) this.#all = this.#all.filter((queued) => queued !== found);
    const isNews = found === undefined || found.place === 'waiting';
    if (isNews) this.#add({ place: 'heard', mark: markOf(text), text: '', at });
    return isNews;
  }

  /** Returns whether a line of the user's is a new prompt. */
  prompted(text: string, at: number): boolean {
    const found = this.#find(text, ['taken', 'given', 'waiting']) ?? this.#all.find(({ place }) => place === 'taken');
    // Earlier texts are over: prompts keep their order, and a text that is typed straight in finds the queue empty.
    if (found) this.#all = this.#all.slice(this.#all.indexOf(found) + 1);
    else this.#all = this.#all.filter((queued) => queued.at >= at);
    if (found?.place === 'waiting') this.#add({ ...found, place: 'heard', text: '' });
    return found?.place !== 'given';
  }

  /** Notes that the agent has continued. */
  goesOn(): void {
    this.#all = this.#all.map((queued) => (queued.place === 'given' ? { ...queued, place: 'answered' } : queued));
  }

  #find(text: string, places: readonly Place[]): Queued | undefined {
    if (this.#all.length === 0) return undefined;
    const mark = markOf(text);
    const same = this.#all.filter((queued) => queued.mark === mark);
    return places.map((place) => same.find((queued) => queued.place === place)).find((queued) => queued !== undefined);
  }
}

/** The order in which texts become prompts: one that has become one already, else the first. */
const byAge = ({ place }: Queued): number => (place === 'heard' ? 0 : 1);

/** The order in which an agent at work gets texts: one that it has got already, else the user's, then commands, then the program's. */
function byUrgency({ place, text }: Queued): number {
  if (place === 'heard') return 0;
  if (text === null) return 3;
  return text.startsWith('/') ? 2 : 1;
}

/** Returns the hash of a text, without pictures, which the queue does not contain. */
function markOf(text: string): number {
  const lines = text.split('\n').filter((line) => line !== '[image]' && line !== '[document]');
  return fingerprint(lines.join('\n').trim());
}

/** Reads a queue from a cursor. */
export function readQueue(value: JsonValue | undefined): Queued[] {
  return (Array.isArray(value) ? value : []).flatMap((queued): Queued[] => {
    const fields = isObject(queued) ? queued : {};
    const place = PLACES.find((each) => each === fields['place']);
    const mark = numberOf(fields['mark']);
    if (place === undefined || mark === undefined) return [];
    return [{ place, mark, text: textOf(fields['text']) ?? null, at: numberOf(fields['at']) ?? 0 }];
  });
}
