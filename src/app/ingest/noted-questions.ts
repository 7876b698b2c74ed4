/** What notes of a session have of questions that tools have put to the user, which a transcript tells once more. */
import type { StoredRecord } from '../../core/record.ts';
import type { MovePlan } from '../../core/state.ts';
import { notedIn } from '../../core/tool-question.ts';
import { type Chain, readRecords, walkChain } from '../../store/chain/chain.ts';
import { unflushed } from '../../store/chain/unflushed.ts';
import type { Pending } from '../../store/pending.ts';
import type { Repository } from '../../store/repository.ts';
import { redactionFor } from '../redact.ts';

/** Steps in which a question is looked for: it is put and answered within a turn. */
const LOOK_BACK = 16;

/** What is known of a session, the latest first, long texts left out. @param pending what waits */
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

/** Takes the note from a move of a transcript's that hooks have left already. */
export class NotedQuestions {
  readonly #repository: Repository;
  readonly #chain: Chain | null;
  #notes: StoredRecord[] | undefined;

  /** @param chain the session before any of the transcript's moves; null where it is new */
  constructor(repository: Repository, chain: Chain | null) {
    this.#repository = repository;
    this.#chain = chain;
  }

  /** @param text what was asked or answered @param call the tool's that has put the question, or was answered */
  unlessNoted(plan: MovePlan, text: string, call: string | undefined): MovePlan {
    const { from, to, note } = plan;
    if (call === undefined || note === null || this.#chain === null) return plan;
    const state = to.kind === 'AwaitingUser' ? to : from;
    if (state.kind !== 'AwaitingUser') return plan;
    const answer = state === to ? null : text;
    const question = { asked: state.question, call: redactionFor(this.#repository).text(call), answer };
    const noted = notedIn(this.#known(this.#chain), question);
    return noted === 'answer' || (noted === 'question' && answer === null) ? { ...plan, note: null } : plan;
  }

  #known(chain: Chain): StoredRecord[] {
    const waiting = (): Pending[] => unflushed(this.#repository, chain);
    this.#notes ??= [...latestRecords(this.#repository, chain, waiting())].filter((record) => 'of_call' in record);
    return this.#notes;
  }
}
