/** Rewrites canonical commits without the forgotten content: their documents are generated again from the chain, and their files merged again. */
import { type Commit, commitMessage, encodeCommit, subjectOf } from '../../core/commit.ts';
import type { JsonValue } from '../../core/json.ts';
import { canonicalTrailers, SUMMARIES, summaryHead, summaryMarkdown } from '../../core/session/compaction.ts';
import { bareEnding, bareSession, FORGOTTEN_SUMMARY } from '../../core/session/forgetting.ts';
import type { Session } from '../../core/session/session.ts';
import { encodeTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { editTree, readTree } from '../../git/objects/tree-editor.ts';
import { digestChain } from '../chain/canonical.ts';
import { readCommit } from '../chain/chain.ts';
import { changedFiles, filesTree, overlayFiles } from '../chain/files-tree.ts';
import { readSession, writeSession } from '../chain/session-document.ts';
import type { Rewriting } from './rewriting.ts';
import { sessionNow, trailersNow } from './steps.ts';

/** Rewrites one canonical commit; returns its id, which is the same if nothing in it or before it changes. */
export function rewriteCanonical(
  rewriting: Rewriting,
  oid: string,
  commit: Commit,
  trailers: ReadonlyMap<string, string>,
): string {
  const { objects, mapped, forgetting, tally } = rewriting;
  const session = readSession(objects, commit.tree, `commit ${oid}`);
  const goes = forgetting.sessions.has(session.session_id);
  // The steps of a forgotten session may have expired, and the commit in Ctx-Work may be gone.
  const work = goes ? rewriting.heads.get(session.session_id) : trailers.get('Ctx-Work');
  const chain = work !== undefined && objects.holds(work) ? work : null;
  let told = goes ? bare(rewriting, session, chain) : sessionNow(rewriting, session);
  const entries = new Map(readTree(objects, commit.tree).map((entry) => [entry.name, entry]));
  const put = (name: string, content: string): void => {
    entries.set(name, { mode: '100644', name, oid: objects.write('blob', Buffer.from(content.toWellFormed())) });
  };
  if (goes) {
    put('summary.md', FORGOTTEN_SUMMARY);
    put('notes.jsonl', '');
    put('edges.jsonl', '');
  } else if (chain === null) patchWords(rewriting, entries, session, told);
  else if (told.ended && (rewriting.reworded.has(chain) || isReworded(session, told))) {
    const digest = digestChain(objects, mapped(chain));
    const { type, message, summary_version = 1 } = told.ended;
    const render = SUMMARIES.renderers.get(summary_version);
    // A summary of a newer ctx cannot be rendered without the forgotten content: it becomes one of the first version.
    if (!render) told = { ...told, ended: { ...told.ended, summary_version: undefined } };
    put('summary.md', (render ?? summaryMarkdown)(told, type, message, digest));
    put('notes.jsonl', digest.notes.text());
    put('edges.jsonl', digest.edges.text());
  }
  if (told !== session) {
    const document = writeSession(objects, told);
    entries.set('session.json', { mode: '100644', name: 'session.json', oid: document.blob });
    const payloads = document.payloads.map(({ name, mode, oid: kept }) => ({ name, mode, oid: kept }));
    if (payloads.length === 0) entries.delete('payload');
    else entries.set('payload', { mode: '40000', name: 'payload', oid: objects.write('tree', encodeTree(payloads)) });
  }
  const files = filesNow(rewriting, commit, goes ? null : chain, goes);
  if (files === null) entries.delete('files');
  else entries.set('files', { mode: '40000', name: 'files', oid: files });

  const tree = objects.write('tree', encodeTree([...entries.values()]));
  const parents = commit.parents.map(mapped);
  const author = rewriting.cleaner.text(commit.author);
  const head = work === undefined ? '' : mapped(work);
  const same = tree === commit.tree && author === commit.author && head === (trailers.get('Ctx-Work') ?? '');
  if (same && parents.every((one, at) => one === commit.parents[at])) return oid;
  tally.canonical += 1;
  const now = told.ended ? canonicalTrailers(told, told.ended.type, head) : [];
  const subject = told.ended && told.ended !== session.ended ? told.ended.message : subjectOf(commit.message);
  const message = commitMessage(subject, trailersNow(commit.message, now, rewriting.cleaner.text));
  const { authoredAt, committedAt: at } = commit;
  return objects.write('commit', encodeCommit({ tree, parents, author, authoredAt, at, message }));
}

/** Returns whether anything that a summary shows of the session itself has changed. */
const isReworded = (before: Session, now: Session): boolean =>
  before.task_description !== now.task_description ||
  before.ended !== now.ended ||
  before.session_state !== now.session_state;

/** Returns a forgotten session as in the single step of its chain. */
function bare(rewriting: Rewriting, session: Session, chain: string | null): Session {
  const { objects, mapped, forgetting } = rewriting;
  const { ended } = session;
  const kept =
    chain === null
      ? bareSession(session, mapped(session.base), forgetting.at)
      : readSession(objects, readCommit(objects, mapped(chain)).tree, `step ${chain}`);
  return ended ? { ...kept, ended: bareEnding(ended) } : kept;
}

/** Rewrites the documents of a session whose steps have expired, from the documents themselves. */
function patchWords(
  { contents, objects, forgetting, cleaner }: Rewriting,
  entries: Map<string, TreeEntry>,
  session: Session,
  told: Session,
): void {
  const summary = entries.get('summary.md');
  if (summary) entries.set('summary.md', contents.entry(withHead(objects, summary, session, told)));
  for (const name of ['notes.jsonl', 'edges.jsonl']) {
    const entry = entries.get(name);
    if (!entry) continue;
    const lines = objects.readAs(entry.oid, 'blob').toString('utf8').split('\n');
    const kept = lines.filter((line) => ![...forgetting.records].some((id) => line.includes(`"id":"${id}"`)));
    const clean = kept.map((line) => (line === '' ? line : cleanLine(line, cleaner.text)));
    if (clean.join('\n') === lines.join('\n')) continue;
    entries.set(name, { ...entry, oid: objects.write('blob', Buffer.from(clean.join('\n'))) });
  }
}

/** Returns a summary whose head shows the present session. */
function withHead(objects: ObjectStore, summary: TreeEntry, session: Session, told: Session): TreeEntry {
  if (!session.ended || !told.ended || !isReworded(session, told)) return summary;
  const [before, now] = [session.ended, told.ended];
  const text = objects.readAs(summary.oid, 'blob').toString('utf8');
  const head = summaryHead(session, before.type, before.message).toWellFormed();
  if (!text.startsWith(head)) return summary;
  const next = summaryHead(told, now.type, now.message).toWellFormed() + text.slice(head.length);
  return { ...summary, oid: objects.write('blob', Buffer.from(next)) };
}

function cleanLine(line: string, text: (text: string) => string): string {
  const value = JSON.parse(line) as { [key: string]: JsonValue };
  const clean = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typeof item === 'string' ? text(item) : item]),
  );
  return JSON.stringify(clean);
}

/** Returns `files/` of a canonical commit, merged over the rewritten files of its parent. */
function filesNow(rewriting: Rewriting, commit: Commit, chain: string | null, goes: boolean): string | null {
  const { objects, mapped, contents, refiled } = rewriting;
  const parent = commit.parents[0];
  const before = parent === undefined ? null : filesTree(objects, readCommit(objects, parent).tree);
  const base = parent === undefined ? null : filesTree(objects, readCommit(objects, mapped(parent)).tree);
  const own = filesTree(objects, commit.tree);
  if (goes) return base;
  if (base === before && (chain === null || !refiled.has(chain))) return own === null ? null : contents.folder(own);
  if (chain !== null) return overlayFiles(objects, base, readCommit(objects, mapped(chain)).tree);
  // Its steps have expired: its changes to the old files are applied to the new ones.
  const editor = editTree(objects, base);
  for (const change of changedFiles(objects, before, own)) {
    const place = change.path.split('/');
    if (change.new === null) editor.remove(place);
    else {
      const entry = contents.entry(change.new);
      editor.set(place, entry.mode, entry.oid);
    }
  }
  return editor.write();
}
