/** `npm run recall`: how often the session that answers a question is among the first, beside ripgrep with the newest first. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTokenCount } from 'tokenx';
import { searchSessions } from '../../src/app/find/search.ts';
import { initRepository } from '../../src/app/init.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { ROOT } from '../program.ts';
import { QUESTIONS } from './questions.ts';

const [given] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const TRANSCRIPTS = given ?? join(ROOT, '..', 'shared', 'transcripts');

/** The cost of a question, and the place of its answer; `Infinity` if it was not found. */
interface Outcome {
  rank: number;
  tokens: number;
}

const folder = mkdtempSync(join(tmpdir(), 'ctx-recall-'));
const repository = initRepository({ directory: folder }).repository;
const { sessions } = ingestMany(repository, [TRANSCRIPTS], { here: true });
if (sessions.length === 0) throw new Error(`There are no transcripts in ${TRANSCRIPTS}`);
const fileOf = new Map(sessions.map(({ session_id, file }) => [session_id, file]));

/** Reads the answers of a search until the right one is among them. */
function bySearch(question: string, id: string): Outcome {
  const { hits } = searchSessions(repository, question, { limit: 50 });
  const at = hits.findIndex((hit) => hit.agent_session_id === id);
  const read = hits.slice(0, at < 0 ? hits.length : at + 1);
  const text = read
    .map(({ title, snippets = [] }) => [title, ...snippets.map((one) => one.text)].join('\n'))
    .join('\n');
  return { rank: at < 0 ? Number.POSITIVE_INFINITY : at + 1, tokens: estimateTokenCount(text) };
}

/** Words that say nothing of what is looked for. */
const COMMON = new Set(
  'a an and any are be but by did does for from had has have how i if in is it its may no not of on one only or other should so still than that the then there this to was were what when where which who why will with without would you'.split(
    ' ',
  ),
);

/** Searches the raw transcripts for the words of the question, the newest file first, as one does without ctx. */
function byRipgrep(question: string, id: string, lastOf: ReadonlyMap<string, number>): Outcome {
  const words = question
    .split(/[^\p{L}\p{N}_.-]+/u)
    .filter((word) => word.length > 2 && !COMMON.has(word.toLowerCase()));
  const pattern = words.map((word) => word.replace(/[.\\+*?()[\]{}^$|-]/g, '\\$&')).join('|');
  const { stdout } = spawnSync(
    'rg',
    ['-i', '--no-heading', '--no-messages', '-o', `.{0,100}(?:${pattern}).{0,100}`, TRANSCRIPTS],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    },
  );
  const byFile = new Map<string, string[]>();
  for (const line of stdout.split('\n')) {
    const colon = line.indexOf(':');
    const file = line.slice(0, colon);
    byFile.set(file, [...(byFile.get(file) ?? []), line.slice(colon + 1)]);
  }
  const files = [...byFile.keys()]
    .filter((file) => lastOf.has(file))
    .sort((a, b) => (lastOf.get(b) ?? 0) - (lastOf.get(a) ?? 0));
  const wanted = files.findIndex((file) =>
    sessions.some((one) => one.file === file && agentIdOf.get(one.session_id) === id),
  );
  const read = files.slice(0, wanted < 0 ? files.length : wanted + 1);
  const tokens = read.reduce((sum, file) => sum + estimateTokenCount((byFile.get(file) ?? []).join('\n')), 0);
  return { rank: wanted < 0 ? Number.POSITIVE_INFINITY : wanted + 1, tokens };
}

const every = searchSessions(repository, 'state:open state:ended', { limit: 10_000, sessionsOnly: true }).hits;
const agentIdOf = new Map(every.map(({ session_id, agent_session_id }) => [session_id, agent_session_id]));
const lastOf = new Map(every.map(({ session_id, last_activity }) => [fileOf.get(session_id) ?? '', last_activity]));

function report(name: string, outcomes: readonly Outcome[]): void {
  const share = (most: number): string =>
    (outcomes.filter(({ rank }) => rank <= most).length / outcomes.length).toFixed(3);
  const mrr = outcomes.reduce((sum, { rank }) => sum + 1 / rank, 0) / outcomes.length;
  const tokens = outcomes.reduce((sum, one) => sum + one.tokens, 0) / outcomes.length;
  process.stdout.write(
    `${name.padEnd(22)} recall@1 ${share(1)}  @5 ${share(5)}  @10 ${share(10)}  MRR ${mrr.toFixed(3)}  tokens until the answer ${Math.round(tokens)}\n`,
  );
}

const asked = Object.entries(QUESTIONS).flatMap(([id, questions]) => questions.map((question) => ({ id, question })));
process.stdout.write(`${asked.length} questions, ${every.length} sessions\n`);
const found = asked.map(({ id, question }) => bySearch(question, id));
report('ctx search', found);
if (spawnSync('rg', ['--version']).status === 0)
  report(
    'rg, newest first',
    asked.map(({ id, question }) => byRipgrep(question, id, lastOf)),
  );
else process.stdout.write('rg is not installed: nothing to compare with.\n');
if (process.argv.includes('--missed'))
  for (const [index, { id, question }] of asked.entries())
    if ((found[index] as Outcome).rank > 5)
      process.stdout.write(`${(found[index] as Outcome).rank}  ${id}  ${question}\n`);
rmSync(folder, { recursive: true, force: true });
