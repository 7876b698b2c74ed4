/** Deduplicates questions that tools put to the user against the notes that hooks have left of them. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { movesTurn, notedIn } from '../../core/session/tool-question.ts';
import type { MovePlan } from '../../core/state.ts';
import { type Chain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import type { Pending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';

/** Steps in which a question is searched for: it is put and answered within a turn. */
const LOOK_BACK = 16;

/** Yields the records of a session, the latest first, without long texts. @param pending its pending records */
export function* latestRecords(
  { objects }: Repository,
  { head }: Chain,
  pending: readonly Pending[],
): Generator<StoredRecord> {
  for (const { record } of pending.toReversed()) yield record;
  let left = LOOK_BACK;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    yield* readRecords(objects, tree, `step ${oid}`, false).toReversed();
    left -= 1;
    if (left === 0) return;
  }
}

/** Removes the note from a transcript's move if hooks have left that note already. */
export class NotedQuestions {
  readonly #repository: Repository;
  readonly #chain: Chain | null;
  #notes: StoredRecord[] | undefined;
  /** Notes of this turn without a call id, each of which counts once: Gemini CLI passes no ids to its hooks. */
  #unnamed: string[] | undefined;
  /** The call whose question is one of them. */
  #call: string | null = null;

  /** @param chain the session before any of the transcript's moves; null if it is new */
  constructor(repository: Repository, chain: Chain | null) {
    this.#repository = repository;
    this.#chain = chain;
  }

  /**
   * Returns the move, without its note if hooks have left that.
   * @param text what was asked or answered
   * @param call the tool call that has put the question, or was answered
   */
  unlessNoted(plan: MovePlan, text: string, call: string | undefined): MovePlan {
    const { from, to, note } = plan;
    if (call === undefined || note === null || this.#chain === null) return plan;
    const state = to.kind === 'AwaitingUser' ? to : from;
    if (state.kind !== 'AwaitingUser') return plan;
    const answer = state === to ? null : text;
    const known = this.#known(this.#chain);
    const question = { asked: state.question, call: redactionFor(this.#repository).text(call), answer };
    const noted = notedIn(known.filter(isOfSomeCall), question);
    const isNoted = noted === 'answer' || (noted === 'question' && answer === null);
    return isNoted || this.#isUnnamed(note.content, call, answer) ? { ...plan, note: null } : plan;
  }

  /** Returns whether a note without a call id says it; an answer only if it belongs to that question. */
  #isUnnamed(content: string, call: string, answer: string | null): boolean {
    this.#unnamed ??= unnamedIn(this.#notes ?? []);
    const index = answer === null || this.#call === call ? this.#unnamed.indexOf(content) : -1;
    if (index < 0) return false;
    this.#unnamed.splice(index, 1);
    this.#call = call;
    return true;
  }

  #known(chain: Chain): StoredRecord[] {
    const waiting = (): Pending[] => unflushed(this.#repository, chain);
    this.#notes ??= [...latestRecords(this.#repository, chain, waiting())].filter(
      ({ kind }) => kind === 'note' || kind === 'transition',
    );
    return this.#notes;
  }
}

const isOfSomeCall = (record: StoredRecord): boolean => 'of_call' in record;

/** Returns the notes without a call id in the current turn. @param latest records, the latest first */
function unnamedIn(latest: readonly StoredRecord[]): string[] {
  const end = latest.findIndex(movesTurn);
  const turn = end < 0 ? latest : latest.slice(0, end);
  return turn.flatMap((record) =>
    isKind(record, 'note') && !isOfSomeCall(record) && (record.role === 'question' || record.role === 'response')
      ? [record.content]
      : [],
  );
}
