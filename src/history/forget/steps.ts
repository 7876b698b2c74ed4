/** Rewrites steps without the forgotten content: generated again by the code that writes steps, never patched. */
import { type Commit, commitMessage, encodeCommit, subjectOf, type Trailer, trailersOf } from '../../core/commit.ts';
import type { Stub } from '../../core/externalise.ts';
import type { JsonValue } from '../../core/json.ts';
import { withoutMarkdown } from '../../core/listing/plain-sentence.ts';
import { RECORD_VERSION, type StoredRecord } from '../../core/records/record.ts';
import { isOfFile } from '../../core/records/table.ts';
import { bareSession, cleanRecord, cleanSession, FORGOTTEN } from '../../core/session/forgetting.ts';
import { mapAnybodys } from '../../core/session/map-texts.ts';
import type { Session } from '../../core/session/session.ts';
import { stepLines, stepSubject, stepTrailers } from '../../core/session/step.ts';
import { oneLine } from '../../core/text.ts';
import { encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { contentMode } from '../../git/objects/payload.ts';
import { editTree, lookUp, readTree } from '../../git/objects/tree-editor.ts';
import { applyFiles, contentName, readCommit, readRecords, SEEN, type StepRecord } from '../chain/chain.ts';
import { readSession, writeSession } from '../chain/session-document.ts';
import type { Rewriting } from './rewriting.ts';

export const baseOf = (objects: ObjectStore, head: string): string =>
  readSession(objects, readCommit(objects, head).tree, `step ${head}`).base;

/** Returns where a session stopped, unless ctx made it of a sentence that a forgotten record had. @param session its id */
function stoppedNow({ forgetting }: Rewriting, session: string, summary: string): string {
  const quoted = summary.replace(/…$/, '');
  const isQuote = (text: string): boolean =>
    [text, withoutMarkdown(text)].some((plain) => oneLine(plain, Number.MAX_SAFE_INTEGER).includes(quoted));
  return quoted !== '' && [...(forgetting.told.get(session) ?? [])].some(isQuote) ? FORGOTTEN : summary;
}

/** Returns a session with mapped commit ids and without the forgotten content. */
export function sessionNow(rewriting: Rewriting, session: Session): Session {
  const { forgetting, cleaner, mapped } = rewriting;
  const cleaned = cleanSession(session, forgetting, cleaner.text);
  const { paused } = cleaned;
  const summary = paused?.summary === undefined ? undefined : stoppedNow(rewriting, session.session_id, paused.summary);
  const clean = !paused || summary === paused.summary ? cleaned : { ...cleaned, paused: { ...paused, summary } };
  const base = mapped(clean.base);
  const squashed = clean.squashed as { head?: unknown } | undefined;
  const head = typeof squashed?.head === 'string' ? mapped(squashed.head) : undefined;
  if (base === clean.base && head === squashed?.head) return clean;
  return { ...clean, base, ...(head === undefined ? {} : { squashed: { ...squashed, head } }) };
}

/** Returns the trailers of a message, with new values for some. */
export function trailersNow(message: string, now: readonly Trailer[], clean: (text: string) => string): Trailer[] {
  const values = new Map(now);
  // Trailers of a newer ctx may have forgotten content.
  return [...trailersOf(message)].map(([key, value]): Trailer => [key, values.get(key) ?? clean(value)]);
}

/** The rewritten records of a step, and the entries of their payloads. */
interface RecordsNow {
  records: StoredRecord[];
  /** By name; only the remaining ones. */
  payloads: Map<string, TreeEntry>;
  reworded: boolean;
  refiled: boolean;
}

/** Rewrites records and their payloads. @param payloads by name */
export function recordsNow(
  rewriting: Rewriting,
  session: string,
  records: readonly StoredRecord[],
  payloads: ReadonlyMap<string, TreeEntry>,
): RecordsNow {
  const { contents, cleaner, forgetting, tally } = rewriting;
  const now: RecordsNow = { records: [], payloads: new Map(payloads), reworded: false, refiled: false };
  const named = new Set<string>();
  const stub = (told: Stub): JsonValue => {
    named.add(told.payload);
    const entry = payloads.get(told.payload);
    const made = entry && contents.content(entry.oid, told.encoding === 'json');
    // An object that only looks like a stub is the agent's own.
    if (!entry) return mapAnybodys(told as unknown as JsonValue, cleaner.text);
    if (!made) return told as unknown as JsonValue;
    now.payloads.set(told.payload, { ...entry, mode: made.mode, oid: made.oid });
    return contents.stub(told, made) as unknown as JsonValue;
  };
  for (const record of records) {
    let next = cleanRecord(record, session, forgetting, cleaner.text, stub);
    if (next.kind === 'status' && typeof next.summary === 'string') {
      const summary = stoppedNow(rewriting, session, next.summary);
      if (summary !== next.summary) next = { ...next, summary };
    }
    const made = isOfFile(next) && typeof next.blob === 'string' ? contents.content(next.blob) : null;
    if (made) next = { ...next, blob: made.oid, bytes: made.bytes };
    if (forgetting.records.has(record.id)) {
      tally.records.add(record.id);
      for (const name of payloads.keys()) if (name.startsWith(record.id)) now.payloads.delete(name);
    } else if (next !== record) tally.cleaned += 1;
    now.reworded ||= next !== record;
    now.refiled ||= next !== record && isOfFile(record);
    now.records.push(next);
  }
  // Payloads without a stub are rewritten as well: contents of files, and leftovers of an older ctx.
  for (const entry of now.payloads.values())
    if (!named.has(entry.name) && !entry.name.startsWith('session-'))
      now.payloads.set(entry.name, contents.entry(entry, !entry.name.endsWith(contentName(''))));
  return now;
}

/** Rewrites one step; returns its id, which is the same if nothing in it or before it changes. */
export function rewriteStep(rewriting: Rewriting, oid: string, commit: Commit): string {
  const { objects, mapped, contents, reworded, refiled, tally } = rewriting;
  const where = `step ${oid}`;
  const entries = new Map(readTree(objects, commit.tree).map((entry) => [entry.name, entry]));
  const session = readSession(objects, commit.tree, where);
  const payload = entries.get('payload');
  const folder = payload && isTree(payload) ? readTree(objects, payload.oid) : [];
  const old = new Map(folder.filter((entry) => entry.name !== SEEN).map((entry) => [entry.name, entry]));
  const now = recordsNow(rewriting, session.session_id, readRecords(objects, commit.tree, where, false), old);
  const told = sessionNow(rewriting, session);
  const [parent = ''] = commit.parents;
  const first = session.step === 1;
  if (now.reworded || told.task_description !== session.task_description || (!first && reworded.has(parent)))
    reworded.add(oid);
  if (now.refiled || (!first && refiled.has(parent))) refiled.add(oid);

  if (told !== session) {
    const document = writeSession(objects, told);
    entries.set('session.json', { mode: '100644', name: 'session.json', oid: document.blob });
    for (const name of [...now.payloads.keys()]) if (name.startsWith('session-')) now.payloads.delete(name);
    for (const { name, mode, oid: kept } of document.payloads) now.payloads.set(name, { name, mode, oid: kept });
  }
  if (now.reworded) {
    const lines = objects.write('blob', Buffer.from(stepLines(now.records)));
    entries.set('step.jsonl', { mode: '100644', name: 'step.jsonl', oid: lines });
  }
  const seen = folder.find((entry) => entry.name === SEEN) ?? null;
  const files = entries.get('files');
  const shown = refiled.has(oid)
    ? replayFiles(objects, first ? null : readCommit(objects, mapped(parent)).tree, now.records)
    : { files: files ? contents.folder(files.oid) : null, seen: seen?.oid ?? null };
  put(entries, 'files', shown.files);
  const payloads = [...now.payloads.values()];
  if (shown.seen !== null) payloads.push({ mode: '40000', name: SEEN, oid: shown.seen });
  put(entries, 'payload', payloads.length > 0 ? objects.write('tree', encodeTree(payloads)) : null);

  const tree = objects.write('tree', encodeTree([...entries.values()]));
  const parents = commit.parents.map(mapped);
  const author = rewriting.cleaner.text(commit.author);
  if (tree === commit.tree && author === commit.author && parents.every((one, at) => one === commit.parents[at]))
    return oid;
  tally.steps += 1;
  const derived = now.reworded && session.squashed === undefined;
  const subject = derived ? stepSubject(told, now.records) : subjectOf(commit.message);
  const message = commitMessage(subject, trailersNow(commit.message, stepTrailers(told), rewriting.cleaner.text));
  return objects.write('commit', encodeCommit({ tree, parents, author, at: commit.authoredAt, message }));
}

function put(entries: Map<string, TreeEntry>, name: string, oid: string | null): void {
  if (oid === null) entries.delete(name);
  else entries.set(name, { mode: '40000', name, oid });
}

/** Computes `files/` and `payload/paths/` of a step from those of the step before and its own records. */
function replayFiles(
  objects: ObjectStore,
  before: string | null,
  records: readonly StoredRecord[],
): { files: string | null; seen: string | null } {
  const entryOf = (path: string[]): string | null =>
    before === null ? null : (lookUp(objects, before, path)?.oid ?? null);
  const files = editTree(objects, entryOf(['files']));
  const seen = editTree(objects, entryOf(['payload', SEEN]));
  const played = records.map((record): StepRecord => {
    const mode = isOfFile(record) && typeof record.blob === 'string' ? contentMode(objects, record.blob) : null;
    const payloads = mode === null ? [] : [{ name: contentName(record.id), mode, oid: record.blob as string }];
    return { record, payloads };
  });
  applyFiles(objects, files, seen, played);
  return { files: files.write(), seen: seen.write() };
}

/** Writes the single step that replaces a forgotten session; returns its id. */
export function writeTombstone(rewriting: Rewriting, head: string): string {
  const { objects, ids, forgetting, mapped } = rewriting;
  const session = readSession(objects, readCommit(objects, head).tree, `step ${head}`);
  const { at } = forgetting;
  const counts = Object.fromEntries(Object.keys(session.counts).map((name) => [name, 0]));
  const bare: Session = {
    ...bareSession(session, mapped(session.base), at),
    step: 1,
    counts: { ...counts, records: 1 } as Session['counts'],
    squashed: { steps: session.step, at },
  };
  const told = { steps: session.step, records: session.counts.records };
  const record: StoredRecord = {
    ...{ version: RECORD_VERSION, id: ids(), kind: 'forgotten', at: session.last_activity },
    ...{ was: 'session', forgotten_at: at, ...told },
  };
  const entries: TreeEntry[] = [
    { mode: '100644', name: 'session.json', oid: writeSession(objects, bare).blob },
    { mode: '100644', name: 'step.jsonl', oid: objects.write('blob', Buffer.from(stepLines([record]))) },
  ];
  const tree = objects.write('tree', encodeTree(entries));
  const trailers: Trailer[] = [...stepTrailers(bare), ['Ctx-Squashed', String(session.step)]];
  const message = commitMessage('Step 1: [forgotten]', trailers);
  const author = bare.agent ?? 'ctx';
  return objects.write(
    'commit',
    encodeCommit({ tree, parents: [bare.base], author, at: session.last_activity, message }),
  );
}
