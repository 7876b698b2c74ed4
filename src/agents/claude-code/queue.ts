/** What was typed while the agent was at work: a queue that is told of line by line, and the same words where they arrive. */
import { isObject, type JsonObject, type JsonValue, numberOf, textOf } from '../../core/json.ts';
import { fingerprint } from '../shared/fields.ts';
import { whatIsSaid } from './user-words.ts';

/** How many words are remembered; what was lost with an agent that died must not pile up. */
const QUEUE_LIMIT = 64;

/**
 * How far words came. Two things happen to them, in any order: they leave the queue, and they stand in the conversation.
 * - `waiting`: neither yet.
 * - `taken`: left the queue to become a prompt, which comes.
 * - `given`: left the queue into the turn; an older Claude Code writes no more of them, a newer one an attachment.
 * - `answered`: so, and the agent has gone on since: a prompt that says the same is another one.
 * - `heard`: stand in the conversation; the line by which they leave the queue may come.
 */
const PLACES = ['taken', 'given', 'answered', 'waiting', 'heard'] as const;
type Place = (typeof PLACES)[number];

/** Words of the queue. */
export interface Queued {
  place: Place;
  /** Stands for the words: what a cursor says in words may have been redacted since. */
  mark: number;
  /** Empty where they are not told, and where nobody asks for them any more; null where the program wrote them. */
  text: string | null;
  /** When they came in, in Unix seconds. */
  at: number;
}

export class Queue {
  #all: Queued[];

  constructor(known: readonly Queued[]) {
    this.#all = [...known];
  }

  /** What the cursor needs of it. */
  get known(): Queued[] {
    return this.#all;
  }

  /** Takes a record of the queue; gives the words that the agent gets with it, in the middle of its turn. */
  take(record: JsonObject, at: number): string {
    const content = textOf(record['content']);
    const said = content === undefined ? undefined : whatIsSaid({}, [{ type: 'text', text: content }]);
    const text = said?.kind === 'prompt' ? said.text : said ? null : '';
    const mark = content === undefined ? null : markOf(text ?? content);
    switch (record['operation']) {
      case 'enqueue':
        this.#add({ place: 'waiting', mark: mark ?? 0, text, at });
        return '';
      case 'popAll':
        // The user takes back what they said, to change it.
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

  /** Lets words out of the queue; gives those that were not heard before, or null where there are none to let out. */
  #leaves(mark: number | null, place: 'taken' | 'given', order: (queued: Queued) => number): string | null {
    const here = this.#all.filter((queued) => queued.place === 'heard' || queued.place === 'waiting');
    const those = mark === null ? here : here.filter((queued) => queued.mark === mark);
    const found = those.toSorted((one, other) => order(one) - order(other))[0];
    if (!found) return null;
    const rest = found.place === 'heard' || found.text === null ? [] : [{ ...found, place, text: '' }];
    this.#all = this.#all.flatMap((queued) => (queued === found ? rest : [queued]));
    return found.text ?? '';
  }

  /** Words that nothing has told of before. */
  #unseen(text: string, mark: number, at: number): string {
    if (text !== '') this.#add({ place: 'given', mark, text: '', at });
    return text;
  }

  /** Whether words that an attachment brings into the turn are new. */
  attached(text: string, at: number): boolean {
    const found = this.#find(text, ['given', 'answered', 'waiting']);
    if (found) this.#all = this.#all.filter((queued) => queued !== found);
    const isNews = found === undefined || found.place === 'waiting';
    if (isNews) this.#add({ place: 'heard', mark: markOf(text), text: '', at });
    return isNews;
  }

  /** Whether a line of the user's says something new. */
  prompted(text: string, at: number): boolean {
    const found = this.#find(text, ['taken', 'given', 'waiting']) ?? this.#all.find(({ place }) => place === 'taken');
    // What came in before it is over: prompts keep their order, and what is typed straight in finds the queue empty.
    if (found) this.#all = this.#all.slice(this.#all.indexOf(found) + 1);
    else this.#all = this.#all.filter((queued) => queued.at >= at);
    if (found?.place === 'waiting') this.#add({ ...found, place: 'heard', text: '' });
    return found?.place !== 'given';
  }

  /** The agent has gone on. */
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

/** What becomes a prompt: what has become one already, else the words that came first. */
const byAge = ({ place }: Queued): number => (place === 'heard' ? 0 : 1);

/** What an agent at work gets: what it has got already, else the user's words, then commands, and at last the program's own. */
function byUrgency({ place, text }: Queued): number {
  if (place === 'heard') return 0;
  if (text === null) return 3;
  return text.startsWith('/') ? 2 : 1;
}

/** The same for the same words: the queue tells of no pictures. */
function markOf(text: string): number {
  const lines = text.split('\n').filter((line) => line !== '[image]' && line !== '[document]');
  return fingerprint(lines.join('\n').trim());
}

/** A queue as it came back in a cursor. */
export function readQueue(value: JsonValue | undefined): Queued[] {
  return (Array.isArray(value) ? value : []).flatMap((queued): Queued[] => {
    const fields = isObject(queued) ? queued : {};
    const place = PLACES.find((each) => each === fields['place']);
    const mark = numberOf(fields['mark']);
    if (place === undefined || mark === undefined) return [];
    return [{ place, mark, text: textOf(fields['text']) ?? null, at: numberOf(fields['at']) ?? 0 }];
  });
}
