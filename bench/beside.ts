/**
 * Compares ctx with what people use now, in one run: `ctx search` with `rg -c` over the raw transcripts of the same sessions, and
 * `ctx usage` with `ccusage` over the same folder of Claude Code: `npx tsx bench/beside.ts [transcripts] [megabytes] [runs]`.
 * ripgrep must be installed; ccusage is installed into a temporary folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, type Subject } from './measure.ts';
import { ENVIRONMENT, type Finished, PROGRAM, ROOT, runCtx, runNode } from './program.ts';

const [source = join(ROOT, '..', 'shared', 'transcripts'), megabytes = '300', runs = '20'] = process.argv.slice(2);
const CCUSAGE = '18.0.11';
/** Folders of transcripts that have a record a line, and the one of them that ccusage reads. */
const CLAUDE = ['claude-code', 'claude-code-current'];
const FOLDERS = [...CLAUDE, 'codex', 'codex-current'];
const WORDS = ['retry', 'backoff'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The transcripts that are multiplied: a name and a text. */
function originals(): { name: string; isClaude: boolean; text: string }[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(source, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map(({ name }) => ({
        name: `${folder}-${name}`,
        isClaude: CLAUDE.includes(folder),
        text: readFileSync(join(source, folder, name), 'utf8'),
      })),
  );
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const NAMED_ID = /\b(?:msg|toolu|req|call|fc|rs|resp)_[A-Za-z0-9]{8,}/g;
const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DAY = 86_400_000;

/** Returns a transcript as another session would have written it: with ids of its own, some days earlier. */
function copyOf(text: string, copy: number): string {
  const mark = copy.toString(16).padStart(4, '0');
  return text
    .replace(UUID, (id) => `${mark}${id.slice(4)}`)
    .replace(NAMED_ID, (id) => `${id}${mark}`)
    .replace(TIME, (time) => new Date(Date.parse(time) - copy * DAY).toISOString());
}

/** Runs another program; returns how long it took. */
function runOther(file: string, words: readonly string[], environment: Record<string, string> = {}): Finished {
  const begin = performance.now();
  const env = { ...ENVIRONMENT, ...environment };
  const { status, error, stdout, stderr } = spawnSync(file, words, { env, encoding: 'utf8', maxBuffer: 1 << 30 });
  const milliseconds = performance.now() - begin;
  if (error) throw error;
  // ripgrep ends with 1 if it finds nothing.
  if (status !== 0 && !(file === 'rg' && status === 1)) throw new Error(`${file} ended with ${status}: ${stderr}`);
  return { stdout, milliseconds };
}

const workshop = mkdtempSync(join(tmpdir(), 'ctx-beside-'));
try {
  const project = join(workshop, 'project');
  const raw = join(workshop, 'raw');
  const claude = join(raw, 'projects', 'project');
  mkdirSync(claude, { recursive: true });
  mkdirSync(join(raw, 'codex'));
  mkdirSync(project);
  const texts = originals();
  let bytes = 0;
  let files = 0;
  for (let copy = 0; bytes < Number(megabytes) * 1e6; copy += 1)
    for (const { name, isClaude, text } of texts) {
      const content = copyOf(text, copy);
      writeFileSync(join(isClaude ? claude : join(raw, 'codex'), `${copy}-${name}`), content);
      bytes += Buffer.byteLength(content);
      files += 1;
    }
  say(`${files} transcripts, ${(bytes / 1e6).toFixed(0)} MB`);
  runCtx(project, 'init');
  // A line of a transcript that cannot be read is said, and ends with 1.
  spawnSync(process.execPath, [PROGRAM, 'ingest', '--here', raw], { cwd: project, env: ENVIRONMENT, stdio: 'ignore' });
  const fed = runCtx(project, 'reindex');
  say(`reindex: ${(fed.milliseconds / 1000).toFixed(1)} s. ${fed.stdout.trim()}`);

  const node: Subject = { name: 'node -e 0', budget: null, run: () => runNode(project, '-e', '0') };
  const pattern = WORDS.join('|');
  const rg: Subject = {
    name: `rg -c '${pattern}'`,
    budget: null,
    run: () => runOther('rg', ['-c', '-i', pattern, raw]),
  };
  const search: Subject = {
    name: `ctx search ${WORDS.join(' ')}`,
    budget: null,
    run: () => runCtx(project, 'search', ...WORDS),
  };
  const usage: Subject = {
    name: 'ctx usage --by agent',
    budget: null,
    run: () => runCtx(project, 'usage', '--by', 'agent'),
  };
  const found = compare([rg, node, search, usage], Number(runs), 'search');
  for (const { name, figure, beside } of found.rows) say(`${name.padEnd(28)} ${figure.toFixed(2)}× rg (${beside})`);
  say(`rg took ${found.unit.toFixed(0)} ms`);

  const tools = join(workshop, 'tools');
  mkdirSync(tools);
  // With the user's own settings of npm.
  const own = process.env as Record<string, string>;
  runOther('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', tools, `ccusage@${CCUSAGE}`], own);
  const program = join(tools, 'node_modules', 'ccusage', 'dist', 'index.js');
  const daily = (): Finished =>
    runOther(process.execPath, [program, 'daily', '--json', '--offline'], { CLAUDE_CONFIG_DIR: raw, LOG_LEVEL: '0' });
  const theirs = daily();
  const ours = [1, 2, 3]
    .map(() => runCtx(project, 'usage', '--by', 'agent').milliseconds)
    .sort((a, b) => a - b)[1] as number;
  const others = [theirs, daily(), daily()].map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)[1] as number;
  say(
    `ccusage ${CCUSAGE}: ${others.toFixed(0)} ms, ctx usage: ${ours.toFixed(0)} ms: ${(others / ours).toFixed(1)} times as fast`,
  );
  const { totals } = JSON.parse(theirs.stdout) as { totals: Record<string, number> };
  const answer = JSON.parse(runCtx(project, 'usage', '--by', 'agent', '--json').stdout) as {
    result: { rows: ({ key: string } & Record<string, number>)[] };
  };
  const row = answer.result.rows.find(({ key }) => key === 'claude-code');
  for (const [their, our] of [
    ['inputTokens', 'input'],
    ['outputTokens', 'output'],
    ['cacheCreationTokens', 'cache_write'],
    ['cacheReadTokens', 'cache_read'],
  ] as const) {
    const [a, b] = [totals[their] ?? 0, Number(row?.[our] ?? 0)];
    say(`${our.padEnd(12)} ccusage ${a}  ctx ${b}  ${a === b ? 'equal' : `difference ${b - a}`}`);
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
