/** Makes the moves of the state table: the pending records and the move's own go into one step. */
import type { AnyBody } from '../../core/records/record.ts';
import { type MovePlan, moveOf, planMove, type SessionState, type Verb } from '../../core/state.ts';
import type { ObjectWriter } from '../../git/objects/payload.ts';
import type { Chain, StepRecord } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { requireCurrent } from './active.ts';
import { type CompactResult, endSession } from './compact.ts';
import { prepareRecord } from './records.ts';
import { filledText } from './text.ts';

/** Moves that mean nothing without a text. */
const NEEDS_TEXT: readonly Verb[] = ['ask', 'respond', 'interrupt', 'reopen'];

export interface MoveResult {
  session_id: string;
  from: SessionState;
  session_state: SessionState;
  verb: Verb;
  oid: string;
  step: number;
  /** The compaction, if the move ended the session. */
  compacted: CompactResult | null;
}

export interface MoveOptions {
  /** The question, summary, answer … of the move. */
  text?: string | undefined;
  /** A note of the user's for the same step. */
  note?: string | undefined;
  /** Compact the session in the same operation. */
  compact?: boolean | undefined;
  /** Message of that compaction. */
  message?: string | undefined;
}

/**
 * Makes the records of a move: its note, the note's edge to the task, and the transition.
 * @param plan its new texts are redacted
 * @param redaction what redacted the text of the plan: the first record counts its findings
 * @param another begins the redaction of each further record
 */
export function moveRecords(
  repository: Repository,
  keeper: ObjectWriter,
  session: string,
  plan: MovePlan,
  at: number,
  redaction: Redaction | undefined,
  another = (): Redaction => redactionFor(repository),
): StepRecord[] {
  const records: StepRecord[] = [];
  const add = (body: AnyBody, isRedacted: boolean): StepRecord => {
    const given = records.length === 0 ? redaction : undefined;
    const draft = { body, redaction: given ?? another(), isRedacted };
    const record = prepareRecord(repository, keeper, at, draft);
    records.push(record);
    return record;
  };
  const { from, to, verb: by, ofTool, call, said } = plan;
  const ofCall = call === undefined ? {} : { of_call: call };
  if (plan.note) {
    const note = add({ kind: 'note', ...plan.note, ...ofCall }, true);
    if (plan.edge) {
      const [node, task] = [`note:${note.record.id}`, `task:${session}`];
      add({ kind: 'relation', from: node, label: 'Mentions', to: task, confidence: 'high' }, true);
    }
  }
  // The state before the move may be older than a redaction rule.
  add({ kind: 'transition', from, to, by, ...(ofTool && { of_tool: true }), ...ofCall, ...(said && { said }) }, false);
  return records;
}

/**
 * Moves the active session by the state table.
 * @throws {CtxError} no_such_move, naming the possible moves; no_active_session, busy, damaged
 */
export function setState(repository: Repository, verb: Verb, options: MoveOptions = {}): MoveResult {
  const ends = verb === 'abort' || verb === 'confirm';
  return transact(repository, { command: `stage ${verb}`, message: verb, logged: ends }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const at = repository.clock();
    const own = recordsOf(repository, chain, verb, options, at);
    const flushed = flushInto(repository, chain, at, { own: own.records });
    transaction.move(ref, head, flushed.chain.head);
    const end = { ref, head, clean: flushed.clean, message: options.message };
    const compacted = options.compact ? endSession(repository, transaction, flushed.chain, end) : null;
    if (!compacted) transaction.afterwards(flushed.clean);
    const { session } = flushed.chain;
    return {
      session_id: session.session_id,
      from: own.plan.from,
      session_state: session.session_state,
      verb,
      oid: flushed.chain.head,
      step: session.step,
      compacted,
    };
  });
}

function recordsOf(
  repository: Repository,
  chain: Chain,
  verb: Verb,
  options: MoveOptions,
  at: number,
): { plan: MovePlan; records: StepRecord[] } {
  const text = options.text ?? '';
  const { session } = chain;
  const redaction = redactionFor(repository);
  // Redacted before the plan, from which everything else is made.
  const plan = planMove(session.session_state, verb, redaction.text(text), at);
  if (NEEDS_TEXT.includes(verb)) filledText(text, `The ${moveOf(verb).text.replace('_', ' ')}`);
  const records = moveRecords(repository, repository.objects, session.session_id, plan, at, redaction);
  if (options.note !== undefined && options.note.trim() !== '') {
    const body: AnyBody = { kind: 'note', content: options.note, role: 'plain' };
    records.unshift(prepareRecord(repository, repository.objects, at, { body }));
  }
  return { plan, records };
}
