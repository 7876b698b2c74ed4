/** Finds the target of `ctx forget`: a session, a record, a step, a content or texts. */
import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import {
  beginningHash,
  checkHash,
  type ForgottenList,
  forgetText,
  forgottenMarker,
  type KeyedHash,
  labelOf,
  NOTHING_FORGOTTEN,
  SHORTEST_TEXT,
  sourceHash,
} from '../../core/forgotten.ts';
import { isKind } from '../../core/records/record.ts';
import {
  conversationOf,
  FORGOTTEN,
  type Forgetting,
  forgettingOf,
  textsOfRecord,
} from '../../core/session/forgetting.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { findNamed, isDocument, type OwnedRecord, recordsOfStep } from '../../history/forget/find.ts';
import { quotingRecords, tasksOf } from '../../history/forget/quoted-tasks.ts';
import { headOfSession, sameTaskBefore } from '../../history/forget/undone.ts';
import { ARCHIVE } from '../../history/names/layout.ts';
import { hashOf } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { markerOf } from '../../secrets/index.ts';
import { resolveRevision } from '../session/revision.ts';
import { filledText } from '../session/text.ts';
import { hasUniqueId } from '../transcript/conversation-id.ts';
import { matchesOfPattern, matchesOfRule } from './matches.ts';
import { contentInWords, recordInWords, sessionInWords, stepInWords, textsInWords } from './victim.ts';
import { sizeOfContent, Words } from './words.ts';

/** The target; exactly one of the properties is set. */
export interface ForgetTarget {
  /** A session, a record, or an object id; the beginning of one will do. */
  id?: string | undefined;
  /** A text, letter by letter, in any place. */
  text?: string | undefined;
  /** A linear pattern: everything that it matches. */
  pattern?: string | undefined;
  /** Everything that a redaction rule matches. */
  rule?: string | undefined;
}

export type What = 'session' | 'record' | 'step' | 'content' | 'text' | 'pattern' | 'rule';

/** The target, and what must not come back. */
export interface Aim {
  what: What;
  /** The target in words, without any text of it. */
  victim: string;
  forgetting: Forgetting;
  /** New entries in the list of forgotten things. */
  list: ForgottenList;
  /** Ids of the sessions whose transcripts contain it too; null for all. */
  among: ReadonlySet<string> | null;
}

/** Values needed to find a target. */
interface Sight {
  repository: Repository;
  hash: KeyedHash;
  at: number;
}

/**
 * Finds the target.
 * @param dry write nothing, not even a key
 * @throws {CtxError} not_found, ambiguous, invalid_input, invalid_settings
 */
export function aimAt(repository: Repository, target: ForgetTarget, dry: boolean): Aim {
  // Without a key nothing was ever marked: any marker of the right length is enough to report what would be done.
  const hash = dry && !exists(repository.layout.key) ? sha256 : hashOf(repository);
  const sight: Sight = { repository, hash, at: repository.clock() };
  const { id, text, pattern, rule } = target;
  if ([id, text, pattern, rule].filter((one) => one !== undefined).length !== 1) {
    throw new CtxError('usage', 'Name one thing to forget.', {
      hint: 'ctx forget <session|oid|record>, or one of --text, --pattern and --rule.',
    });
  }
  const aim = (): Aim => {
    if (text !== undefined) return aimAtTexts(sight, 'text', new Map([[filledText(text, 'The text'), null]]));
    if (pattern !== undefined) return aimAtTexts(sight, 'pattern', matchesOfPattern(repository, pattern));
    if (rule !== undefined) return aimAtTexts(sight, 'rule', matchesOfRule(repository, rule), rule);
    return aimAtNamed(sight, id as string);
  };
  const found = aim();
  return { ...found, list: { ...found.list, check: checkHash(hash) } };
}

/** Targets texts. @param texts each with the rule that found it, if any */
function aimAtTexts(
  { hash, at }: Sight,
  what: 'text' | 'pattern' | 'rule',
  texts: ReadonlyMap<string, string | null>,
  rule?: string,
): Aim {
  for (const text of texts.keys()) checkText(text, what);
  const markers = new Map(
    [...texts].map(([text, rule]) => {
      const label = labelOf(text, hash);
      return [text, rule === null ? forgottenMarker(label) : markerOf(rule, label)];
    }),
  );
  const list = { ...NOTHING_FORGOTTEN, texts: [...texts.keys()].map((text) => forgetText(text, hash)) };
  const victim = textsInWords(what, texts.size, rule);
  return { what, victim, forgetting: forgettingOf(at, { texts: markers }), list, among: null };
}

/** Checks a text. @throws {CtxError} invalid_input, if forgetting it would take far more than intended */
function checkText(text: string, what: What): void {
  const whose = what === 'text' ? 'The text' : `A text that the ${what} finds`;
  if (Buffer.byteLength(text) < SHORTEST_TEXT || text.trim() === '') {
    throw new CtxError('invalid_input', `${whose} is shorter than ${SHORTEST_TEXT} characters.`, {
      hint: 'It would go from everywhere. Give more of the text around it, or forget the record or the session.',
    });
  }
  if (FORGOTTEN.includes(text) || forgottenMarker('').includes(text)) {
    throw new CtxError('invalid_input', `${whose} is part of the words that replace what was forgotten.`, {
      hint: 'Forget the record or the session that holds it.',
    });
  }
}

const gone = (given: string): CtxError =>
  new CtxError('not_found', `${given} was forgotten already.`, { hint: 'See when with: ctx op log' });

function aimAtNamed(sight: Sight, given: string): Aim {
  const { repository } = sight;
  if (/^(HEAD|STAGE|main\b|heads\/|refs\/)|[~^]/.test(given)) throw nameRefused(repository, given);
  const named = findNamed(repository, given);
  switch (named.kind) {
    case 'session':
      return aimAtSession(sight, named.id);
    case 'canonical':
      return aimAtSession(sight, named.session);
    case 'record': {
      const [first] = named.records as [OwnedRecord, ...OwnedRecord[]];
      return aimAtRecords(sight, 'record', named.records, given, recordInWords(repository, first));
    }
    case 'step': {
      const records = recordsOfStep(repository, named.oid);
      return aimAtRecords(sight, 'step', records, given, stepInWords(repository, named.oid, records));
    }
    case 'content':
      return aimAtContent(sight, named.oid);
  }
}

/** Refuses a name: it may mean another thing tomorrow, and forgetting cannot be undone, so the id has to be given. */
function nameRefused(repository: Repository, given: string): CtxError {
  const { oid, kind, bySession } = resolveRevision(repository, given);
  const session = trailersOf(readCommit(repository.objects, oid).message).get('Ctx-Session');
  const id = kind === 'step' && !bySession ? oid : session;
  return new CtxError('invalid_input', `${given} is a name, and names move: only an id says what is to be forgotten.`, {
    hint: id === undefined ? 'See the ids with: ctx log' : `It names this now: ctx forget ${id}`,
  });
}

function aimAtSession({ repository, hash, at }: Sight, id: string): Aim {
  const head = headOfSession(repository, id);
  if (head === null) {
    throw new CtxError('not_found', `There is no chain of the session ${id}.`, {
      hint: `See: ctx log, and ${ARCHIVE}`,
    });
  }
  const session: Session = readChain(repository.objects, head).session;
  if (session.forgotten_at !== undefined) throw gone(id);
  const hashes = session.sources.flatMap((source) => hashesOf(source, hash));
  const sources = hashes.map((each) => ({ hash: each, session_id: id, at }));
  const tasks = tasksOf(repository, head);
  const records = quotingRecords(repository, session, tasks);
  const conversations = new Set(session.sources.map(conversationOf));
  const undone = sameTaskBefore(repository, session);
  const forgetting = forgettingOf(at, {
    sessions: new Set([id, ...undone]),
    tasks,
    records,
    conversations,
  });
  const list = { ...NOTHING_FORGOTTEN, sources };
  const victim = sessionInWords(session, { sessions: undone, records: [...records] });
  return { what: 'session', victim, forgetting, list, among: new Set([id]) };
}

/** Returns the hashes of a conversation that must not come back: without an id, its file name may be another's. */
function hashesOf(source: Source, hash: KeyedHash): string[] {
  const { agent, agent_session_id: session, first_line: firstLine } = source;
  const own = hasUniqueId(source) ? [sourceHash(agent, session, hash)] : [];
  if (firstLine === undefined) return own;
  return [...own, ...[null, session].map((name) => beginningHash(agent, firstLine, name, hash))];
}

function aimAtRecords(
  { repository, hash, at }: Sight,
  what: What,
  owned: readonly OwnedRecord[],
  given: string,
  victim: string,
): Aim {
  const records = owned.filter(({ record }) => record.kind !== 'forgotten' && record.forgotten_at === undefined);
  if (records.length === 0) throw gone(given);
  const words = new Words(hash);
  const own = new Map<string, Set<string>>();
  const tasks = new Set<string>();
  for (const { session, record, objects } of records) {
    const told = textsOfRecord(record);
    const before = own.get(session) ?? [];
    own.set(session, new Set([...before, ...told.keys()]));
    for (const [text, how] of told) {
      if (isKind(record, 'task')) tasks.add(text);
      words.take(text, how);
    }
    if (typeof record.blob === 'string' && objects.holds(record.blob)) words.takeContent(objects, record.blob);
  }
  const ids = new Set(records.map(({ record }) => record.id));
  for (const session of own.keys()) for (const id of foretoldOf(repository, session, tasks)) ids.add(id);
  const { texts, wholes, list } = words;
  const forgetting = forgettingOf(at, { records: ids, texts, wholes, told: own, tasks });
  return { what, victim, forgetting, list, among: new Set(own.keys()) };
}

/** Returns the ids of the records in which other sessions quote a task of one. */
function foretoldOf(repository: Repository, id: string, tasks: ReadonlySet<string>): Set<string> {
  const head = tasks.size === 0 ? null : headOfSession(repository, id);
  return head === null ? new Set() : quotingRecords(repository, readChain(repository.objects, head).session, tasks);
}

function aimAtContent({ repository, hash, at }: Sight, oid: string): Aim {
  const { objects } = repository;
  if (isDocument(repository, oid)) {
    throw new CtxError('invalid_input', `${oid} is a document that ctx makes of records.`, {
      hint: 'Name the record, the step or the session instead; see: ctx show <session> --steps --json',
    });
  }
  const words = new Words(hash);
  words.takeContent(objects, oid);
  const { texts, wholes, list } = words;
  const forgetting = forgettingOf(at, { contents: new Set([oid]), texts, wholes });
  return { what: 'content', victim: contentInWords(oid, sizeOfContent(objects, oid)), forgetting, list, among: null };
}
