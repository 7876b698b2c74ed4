/** Plans the pointers of an import: only under LOCK, after everything was verified and copied. */
import { CtxError } from '../../core/errors.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import { TITLE_LIMIT, titleOf } from '../../core/listing/title.ts';
import { summaryOf } from '../../core/listing/where-stopped.ts';
import type { KeptOrigin } from '../../core/origin.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { oneLine } from '../../core/text.ts';
import { MAIN } from '../../git/layout.ts';
import { inPack } from '../../git/objects/bulk-pack.ts';
import { releasePacks } from '../../git/objects/keep-file.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, readChain, readCommit, readRecords, walkChain, writeStep } from '../../history/chain/chain.ts';
import { walkNewestFirst } from '../../history/chain/main-line.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Transaction } from '../../history/transaction.ts';
import { redactionFor } from '../redaction/redact.ts';
import { requireMain } from '../session/active.ts';
import { prepareRecord } from '../session/records.ts';
import { indexSession } from '../transcript/source-index.ts';
import { withBundle } from './copy.ts';
import { type Candidate, hasEnded, type ImportedSession, type Place } from './place.ts';
import { plantAgain, plantCommit } from './plant.ts';
import type { Received } from './receive.ts';
import { replayChain } from './replay.ts';

/** Store, transaction and bundle that an import works with. */
export interface TakingIn {
  repository: Repository;
  transaction: Transaction;
  received: Received;
  /** The objects that are in the store already. */
  copied: Pick<ReadonlySet<string>, 'has'>;
  origin: KeptOrigin;
}

/** One session that comes in. */
interface Incoming extends TakingIn {
  objects: ObjectStore;
  session: BundledSession;
  place: Place;
}

/** Plans the pointers of all sessions. @throws {CtxError} busy, if a session has changed since it was looked at */
export function takeIn(given: TakingIn, candidates: readonly Candidate[], places: readonly Place[]): ImportedSession[] {
  const { repository, received, transaction } = given;
  return inPack(repository, (store) => {
    const objects = withBundle(store, received.pack);
    const rank = orderOfCommits(objects, received.manifest.main);
    const order = [...candidates.entries()].sort(([, a], [, b]) => rank(a.session) - rank(b.session));
    const taken = new Map<number, ImportedSession>();
    for (const [index, { session }] of order)
      taken.set(index, takeOne({ ...given, objects, session, place: places[index] as Place }));
    store.publish();
    transaction.afterwards(() => releasePacks(store.kept()));
    return candidates.map((_, index) => taken.get(index) as ImportedSession);
  });
}

/** Returns the place of the commit of a session on the main line of the bundle: commits come in from the oldest on. */
function orderOfCommits(objects: ObjectStore, main: string): (session: BundledSession) => number {
  const places = new Map<string, number>();
  for (const [oid] of walkNewestFirst(main, (one) => readCommit(objects, one))) places.set(oid, -places.size);
  return ({ commit }) => (commit === null ? 1 : (places.get(commit) ?? 0));
}

function takeOne(incoming: Incoming): ImportedSession {
  const { outcome } = incoming.place;
  if (outcome === 'same') return unchanged(incoming);
  return outcome === 'beside' ? keptBeside(incoming) : takenAsItIs(incoming);
}

const resultOf = (session: Session, { place, session: bundled }: Incoming, open: boolean): ImportedSession => ({
  session_id: session.session_id,
  bundled_id: bundled.session_id,
  outcome: place.outcome,
  title: titleOf(session),
  open,
  reason: place.reason,
});

function unchanged(incoming: Incoming): ImportedSession {
  const { repository, place, session } = incoming;
  const ref = place.here?.ref ?? session.ref;
  const chain = readChain(repository.objects, place.here?.head ?? session.head);
  return resultOf(chain.session, incoming, ref === sessionRef(chain.session.session_id));
}

/** Takes in a chain with its own ids: a new session, or the further steps of one that is here. */
function takenAsItIs(incoming: Incoming): ImportedSession {
  const { repository, transaction, objects, session, place, copied } = incoming;
  if (!copied.has(session.head))
    throw new CtxError('busy', 'The sessions here have changed while the bundle was read.', {
      hint: 'Nothing was changed. Run the command again.',
    });
  const ended = hasEnded(session);
  const stage = transaction.stage();
  const isCurrent = place.here !== null && place.here.ref === stage;
  const chain = markedChain(incoming, readChain(objects, session.head), { pauses: !ended && !isCurrent });
  if (place.here && place.here.ref !== session.ref) {
    if (isCurrent) transaction.move('STAGE', stage, null);
    transaction.move(place.here.ref, place.here.head, null);
    transaction.move(session.ref, null, chain.head);
  } else transaction.move(session.ref, place.here?.head ?? null, chain.head);
  const isSaved = place.here !== null && place.here.ref === archiveRef(session.session_id);
  if (ended && session.commit !== null && !isSaved) {
    // The commit of the session before is not published yet.
    const main = requireMain(objects, transaction.read);
    transaction.move(MAIN, main, plantCommit(objects, { commit: session.commit, head: session.head }, main));
  }
  transaction.afterwards(() => indexSession(repository, chain.session));
  return resultOf(chain.session, incoming, !ended);
}

/** Takes in a copy of a chain as a session of its own. */
function keptBeside(incoming: Incoming): ImportedSession {
  const { repository, transaction, objects, session, place } = incoming;
  const main = requireMain(objects, transaction.read);
  const { id } = place;
  const isClean = place.reason === 'both';
  const isBranch = place.here !== null;
  const message = isBranch && place.common !== null ? lastMessage(objects, place.common) : null;
  const copy = replayChain(objects, session.head, {
    id,
    base: main,
    redaction: isClean ? null : () => redactionFor(repository),
    changed: {
      // The conversation of a branch continues in the session that it is a branch of.
      ...(isBranch ? { sources: [], parent_session_id: session.session_id } : {}),
      ...(message === null ? {} : { parent_message_id: message }),
    },
  });
  const ended = hasEnded(session);
  const chain = markedChain(incoming, copy, {
    pauses: !ended,
    title: isBranch ? besideTitle(copy.session, incoming) : null,
  });
  transaction.move(ended ? archiveRef(id) : sessionRef(id), null, chain.head);
  const clean = <T>(value: T): T => (isClean ? value : redactionFor(repository).value(value));
  const commit = ended ? plantAgain(objects, copy, session.commit, main, clean) : null;
  if (commit !== null) transaction.move(MAIN, main, commit);
  transaction.afterwards(() => indexSession(repository, chain.session));
  return resultOf(chain.session, incoming, !ended);
}

/** Returns the title of a branch that says from where it came. */
function besideTitle(session: Session, { origin }: Incoming): string {
  const from = ` (from ${oneLine(origin.paths[0] ?? 'elsewhere', TITLE_LIMIT / 2)} on ${origin.machine.slice(0, 6)})`;
  return `${oneLine(titleOf(session), Math.max(8, TITLE_LIMIT - from.length))}${from}`;
}

/** Returns the last message up to a step of a chain; null if there is none. */
function lastMessage(objects: ObjectStore, step: string): string | null {
  for (const [oid, { tree }] of walkChain(objects, step)) {
    const messages = readRecords(objects, tree, `step ${oid}`, false).filter(({ kind }) => kind === 'message');
    const id = (messages.at(-1)?.message as { id?: unknown } | undefined)?.id;
    if (typeof id === 'string') return id;
  }
  return null;
}

/** Adds the step that says where a session came from; an open one is paused by it. */
function markedChain(
  { repository, objects, origin }: Incoming,
  chain: Chain,
  { pauses, title = null }: { pauses: boolean; title?: string | null },
): Chain {
  const at = repository.clock();
  const summary = summaryOf(chain.session);
  const bodies: AnyBody[] = [{ kind: 'about', by: 'import', origin }];
  if (pauses)
    bodies.push({ kind: 'status', from: 'active', to: 'paused', by: 'import', ...(summary !== null && { summary }) });
  if (title !== null) bodies.push({ kind: 'title', by: 'import', content: title });
  const records = bodies.map((body) => prepareRecord(repository, objects, at, { body, isRedacted: true }));
  return writeStep(objects, { chain, session: chain.session, records, at });
}
