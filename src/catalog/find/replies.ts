/** Finds the other half of an exchange: the answer to a prompt, the prompt of an answer, what the user said to a question. */
import type { Catalog } from '../catalog.ts';
import { type Role, roleOf } from '../feed/passages.ts';
import { KINDS, type PassageKind } from '../segment/kinds.ts';
import type { Segment } from '../segment/segment.ts';
import type { PassageReader } from './snippet.ts';

/** A passage by its segment and its number there. */
export interface Located {
  segment: Segment;
  passage: number;
}

/** A half of an exchange. */
export interface Half extends Located {
  kind: PassageKind;
  role: Role;
  turn: number;
}

/** A half of an exchange with its text. */
export interface Reply extends Half {
  text: string;
  /** True if it was said before the half that was asked about. */
  isBefore: boolean;
}

const HALVES: ReadonlySet<PassageKind> = new Set(['prompt', 'answer', 'question', 'note']);

const isAnswered = ({ kind, role }: Half): boolean => kind === 'note' && role === 'user';

/** Finds in the halves of a session, in their order, the one that belongs to another. */
export function otherHalf(halves: readonly Omit<Half, keyof Located>[], place: number): number {
  const { kind, turn } = halves[place] as Half;
  const isOther = (one: Omit<Half, keyof Located>): boolean => one.turn === turn;
  if (kind === 'prompt') return halves.findLastIndex((one) => one.kind === 'answer' && isOther(one));
  if (kind === 'answer') return halves.findIndex((one) => one.kind === 'prompt' && isOther(one));
  const step = kind === 'question' ? 1 : -1;
  const wanted = (one: Half): boolean => (step > 0 ? isAnswered(one) : one.kind === 'question');
  const other = (one: Half): boolean => (step > 0 ? one.kind === 'question' : isAnswered(one));
  if (step < 0 && !isAnswered(halves[place] as Half)) return -1;
  for (let at = place + step; at >= 0 && at < halves.length; at += step) {
    const one = halves[at] as Half;
    if (wanted(one)) return at;
    if (other(one)) return -1;
  }
  return -1;
}

export class Replies {
  readonly #catalog: Catalog;
  readonly #reader: PassageReader;
  readonly #halves = new Map<string, Half[]>();

  constructor(catalog: Catalog, reader: PassageReader) {
    this.#catalog = catalog;
    this.#reader = reader;
  }

  /** Returns the other half of the exchange that a passage of a session is a half of; null if there is none. */
  to(session: string, { segment, passage }: Located): Reply | null {
    let halves = this.#halves.get(session);
    if (!halves) {
      halves = this.#halvesOf(session);
      this.#halves.set(session, halves);
    }
    const place = halves.findIndex((one) => one.segment === segment && one.passage === passage);
    const other = place < 0 ? -1 : otherHalf(halves, place);
    const half = halves[other];
    const read = half && this.#reader.read(half.segment, half.passage);
    return half && read ? { ...half, text: read.text, isBefore: other < place } : null;
  }

  #halvesOf(session: string): Half[] {
    const { segments, counts } = this.#catalog;
    const found: Half[] = [];
    const gone = new Set(
      segments.flatMap(({ replaced }) => replaced.flatMap(([number, all]) => all.map((one) => `${number} ${one}`))),
    );
    for (const segment of segments) {
      if (!counts(session, segment.number)) continue;
      const own = segment.sessionRows.findIndex(({ id }) => id === session);
      const { exchanges, kinds, lengths, roles, messageOf } = segment;
      for (let exchange = 0; own >= 0 && exchange < exchanges.length; exchange += 1) {
        if (exchanges.session(exchange) !== own) continue;
        const end = Math.min(exchanges.firstPassage(exchange + 1), kinds.length);
        for (let passage = exchanges.firstPassage(exchange); passage < end; passage += 1) {
          const kind = KINDS[kinds[passage] as number]?.[0] as PassageKind;
          if (!HALVES.has(kind) || lengths[passage] === 0 || gone.has(`${segment.number} ${passage}`)) continue;
          const role = roleOf(roles[messageOf.at(passage)] as number);
          found.push({ segment, passage, kind, role, turn: exchanges.turn(exchange) });
        }
      }
    }
    return found;
  }
}
