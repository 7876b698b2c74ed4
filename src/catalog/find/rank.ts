/** Ranks sessions by the words of a query: BM25 over all that a session holds, and over its best exchange. */

import { lengthOf } from '../bytes/columns.ts';
import { compareTerms } from '../segment/dictionary.ts';
import { KINDS, weightOf } from '../segment/kinds.ts';
import type { Segment } from '../segment/segment.ts';
import { isLoneCharacter } from '../words/tokens.ts';
import type { Clause, RankedTerm } from './query.ts';

/** Parameters of BM25: how soon more of a word counts no more, and how much the length of a text counts. */
const [K1, B] = [1.2, 0.6];
/** Of a session, whose length says less: a long one is about many things. */
const SESSION_B = 0.35;
/** Weight of the best exchange beside the whole session, and an exchange beside it. */
const BEST = 0.9;
const NEIGHBOUR = 0.25;
/** Extra weight of a session of today over an old one, and the seconds in which it halves. */
const RECENT = 0.08;
const HALF_LIFE = 30 * 86_400;

/** By the number of a kind; in an array of its own, which a loop reads without a call. */
const WEIGHTS = Float64Array.from(KINDS, (_, code) => weightOf(code));

/** A session that may be found. */
export interface Ranked {
  /** Its place in the list of the sessions. */
  session: number;
  score: number;
}

/** The part of a catalog that is searched. */
export interface Field {
  segments: readonly Segment[];
  /** For each segment, the place of each of its sessions in the list; -1 of one that is not searched. */
  places: readonly Int32Array[];
  /** For each segment, passages that later ones replace. */
  gone: readonly ReadonlySet<number>[];
  /** For each session of the list, how many turns it has, and when it was last worked on. */
  turns: Uint32Array;
  times: Float64Array;
  /** Checks if a message may be found, by its segment and its number there; of all messages if absent. */
  admits: ((segment: Segment, message: number) => boolean) | undefined;
}

export interface Ranking {
  sessions: Ranked[];
  /** The passages that have any of the terms, by segment, with their scores. */
  passages: { found: number[]; scores: Float32Array }[];
}

/** Ranks the sessions of a field that have any of the terms, the best first. */
export function rank(field: Field, terms: readonly RankedTerm[]): Ranking {
  const { segments, places, gone, turns, times, admits } = field;
  const count = turns.length;
  const passages = segments.map(({ passageCount }) => ({
    found: [] as number[],
    scores: new Float32Array(passageCount),
  }));
  const { lengths, total, mean } = lengthsOf(field);
  const meanSession = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, count);
  /** By the length of a passage as a column has it, what is added to how often the passage has a word. */
  const damping = Float64Array.from({ length: 256 }, (_, code) => K1 * (1 - B + (B * lengthOf(code)) / mean));
  const begins = new Uint32Array(count + 1);
  for (let session = 0; session < count; session += 1)
    begins[session + 1] = (begins[session] as number) + (turns[session] as number) + 1;
  const exchanges = new Float64Array(begins[count] as number);
  const scores = new Float64Array(count);
  const within = new Float64Array(count);
  const best = new Float64Array(exchanges.length);
  for (const { term, share } of terms) {
    const documents = segments.reduce((sum, { dictionary }) => sum + (dictionary.find(term)?.documents ?? 0), 0);
    if (documents === 0) continue;
    const rarity = Math.log(1 + (total - documents + 0.5) / (documents + 0.5)) * share;
    const touched: number[] = [];
    const held: number[] = [];
    for (const [index, segment] of segments.entries()) {
      const { messageOf, kinds, lengths: sizes, exchanges: stretches } = segment;
      const [placeOf, without] = [places[index], gone[index]] as [Int32Array, Set<number>];
      const { found, scores: own } = passages[index] as Ranking['passages'][number];
      const isReplaced = without.size > 0 ? (passage: number): boolean => without.has(passage) : null;
      const list = segment.documentsOf(term);
      let stretch = -1;
      let next = -1;
      let session = -1;
      let exchange = -1;
      for (let index = 0; index < list.length; index += 1) {
        const passage = list.documents[index] as number;
        if (passage >= next) {
          // Most of the time in the next one, or in one soon behind it.
          stretch = passage < stretches.firstPassage(stretch + 2) ? stretch + 1 : stretches.ofPassage(passage);
          next = stretches.firstPassage(stretch + 1);
          session = placeOf[stretches.session(stretch)] as number;
          exchange = (begins[session] as number) + Math.min(stretches.turn(stretch), turns[session] as number);
        }
        if (session < 0 || isReplaced?.(passage) || admits?.(segment, messageOf.at(passage)) === false) continue;
        const times = list.counts[index] as number;
        const weight = WEIGHTS[kinds[passage] as number] as number;
        const damped = times + (damping[sizes[passage] as number] as number);
        const score = (rarity * weight * times * (K1 + 1)) / damped;
        const before = own[passage] as number;
        if (before === 0) found.push(passage);
        own[passage] = before + score;
        if (within[session] === 0) held.push(session);
        within[session] = (within[session] as number) + weight * Math.min(times, 8);
        const top = best[exchange] as number;
        if (top === 0) touched.push(exchange);
        if (score > top) best[exchange] = score;
      }
    }
    for (const exchange of touched) {
      exchanges[exchange] = (exchanges[exchange] as number) + (best[exchange] as number);
      best[exchange] = 0;
    }
    const rare = Math.log(1 + (count - held.length + 0.5) / (held.length + 0.5)) * share;
    for (const session of held) {
      const times = within[session] as number;
      const damped =
        times + K1 * (1 - SESSION_B + (SESSION_B * (lengths[session] as number)) / Math.max(1, meanSession));
      scores[session] = (scores[session] as number) + (rare * times * (K1 + 1)) / damped;
      within[session] = 0;
    }
  }
  const newest = times.reduce((most, time) => Math.max(most, time), 0);
  const sessions: Ranked[] = [];
  for (let session = 0; session < count; session += 1) {
    let top = 0;
    for (let at = begins[session] as number; at < (begins[session + 1] as number); at += 1) {
      const before = at > (begins[session] as number) ? (exchanges[at - 1] as number) : 0;
      const after = at + 1 < (begins[session + 1] as number) ? (exchanges[at + 1] as number) : 0;
      top = Math.max(
        top,
        (exchanges[at] as number) + NEIGHBOUR * Math.max(before, after) * Number(exchanges[at] !== 0),
      );
    }
    if (top === 0) continue;
    const recent = 1 + RECENT * 2 ** (-(newest - (times[session] as number)) / HALF_LIFE);
    sessions.push({ session, score: ((scores[session] as number) + BEST * top) * recent });
  }
  sessions.sort(
    (a, b) => b.score - a.score || (times[b.session] as number) - (times[a.session] as number) || a.session - b.session,
  );
  return { sessions, passages };
}

/** Returns the length of each session, how many passages there are, and their mean length. */
function lengthsOf({ segments, places, turns }: Field): { lengths: Float64Array; total: number; mean: number } {
  const lengths = new Float64Array(turns.length);
  let [total, sum] = [0, 0];
  for (const [index, segment] of segments.entries()) {
    const [own, placeOf] = [segment.sessionLengths, places[index] as Int32Array];
    total += segment.passageCount;
    sum += own[0] ?? 0;
    for (let place = 0; place < placeOf.length; place += 1) {
      const session = placeOf[place] as number;
      if (session >= 0) lengths[session] = (lengths[session] as number) + (own[place + 1] as number);
    }
  }
  return { lengths, total, mean: Math.max(1, sum / Math.max(1, total)) };
}

/** Returns the sessions of a field that have a clause: its terms in one passage, as far from each other as in the clause. */
export function sessionsWith({ segments, places, gone, admits }: Field, clause: Clause): Set<number> {
  const found = new Set<number>();
  for (const [index, segment] of segments.entries()) {
    /** For each passage that has the terms so far, the places at which the clause may begin. */
    let begins: Map<number, Set<number>> | null = null;
    for (const { term, offset } of clause) {
      const next: Map<number, Set<number>> = new Map();
      const before = begins;
      for (const own of isLoneCharacter(term) ? termsFrom([segment], term) : [{ term }])
        segment.eachPosting(own.term, (passage, _times, placesOf) => {
          const open = before?.get(passage);
          if (before && !open) return;
          const here = placesOf().map((place) => place - offset);
          const kept = open ? here.filter((place) => open.has(place)) : here;
          if (kept.length === 0) return;
          const more = next.get(passage);
          next.set(passage, new Set(more ? [...more, ...kept] : kept));
        });
      begins = next;
      if (next.size === 0) break;
    }
    for (const passage of begins?.keys() ?? []) {
      const { exchanges, messageOf } = segment;
      const session = (places[index] as Int32Array)[exchanges.session(exchanges.ofPassage(passage))] as number;
      if (session < 0 || gone[index]?.has(passage)) continue;
      if (admits?.(segment, messageOf.at(passage)) !== false) found.add(session);
    }
  }
  return found;
}

/** Yields every term of some segments that begins with a text, each once. */
export function* termsFrom(
  segments: readonly Segment[],
  beginning = '',
): Generator<{ term: string; documents: number }> {
  const seen = new Map<string, number>();
  for (const { dictionary } of segments)
    for (const { term, documents } of dictionary.from(beginning)) {
      if (beginning !== '' && !term.startsWith(beginning)) break;
      seen.set(term, (seen.get(term) ?? 0) + documents);
    }
  for (const [term, documents] of [...seen].sort(([a], [b]) => compareTerms(a, b))) yield { term, documents };
}
