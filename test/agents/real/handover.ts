/** Hands a session from one agent to the program of another, and compares what that program's model is sent with the view of ctx. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { prefixOf, ROOT } from './place.ts';
import { newerNode, type Place, type Program } from './programs.ts';
import { type ModelServer, serveModel } from './server.ts';
import { askCtx } from './start.ts';
import type { Turn } from './wire.ts';

/** Longest that one run of a program may take, in milliseconds. */
const LONGEST = 120_000;

/** A transcript that is handed over: one with calls and their results, and one behind a compaction. */
export interface Origin {
  agent: string;
  kind: 'calls' | 'compaction';
  /** The file below `fixtures/`. */
  file: string;
}

export const ORIGINS: readonly Origin[] = [
  { agent: 'claude-code', kind: 'calls', file: 'claude-code/retry-backoff.jsonl' },
  { agent: 'claude-code', kind: 'compaction', file: 'claude-code/compaction.jsonl' },
  { agent: 'codex', kind: 'calls', file: 'codex/rollback.jsonl' },
  { agent: 'codex', kind: 'compaction', file: 'codex/compaction.jsonl' },
  { agent: 'gemini', kind: 'calls', file: 'gemini/steps.jsonl' },
  { agent: 'gemini', kind: 'compaction', file: 'gemini/compressed.jsonl' },
  { agent: 'opencode', kind: 'calls', file: 'opencode/door.json' },
  { agent: 'opencode', kind: 'compaction', file: 'opencode/compacted.json' },
  { agent: 'pi', kind: 'calls', file: 'pi/branches.jsonl' },
  { agent: 'pi', kind: 'compaction', file: 'pi/compactions.jsonl' },
];

interface Loss {
  kind: string;
  count: number;
  message_ids: string[];
}

interface Exported {
  session_id: string;
  file: string | null;
  agent_session_id: string;
  messages: number;
  losses: Loss[];
}

interface Part {
  type: string;
  text?: string;
  data?: { summary?: string };
  toolName?: string;
  toolCallId?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
}

interface Message {
  id: string;
  role: string;
  parts: Part[];
  metadata?: { is_compact_summary?: boolean; is_meta?: boolean };
}

export interface HandedOver {
  messages: number;
  losses: Loss[];
  problems: string[];
}

const PROMPTS = ['What did I ask first', 'And what did you just say'];

export async function handOver(origin: Origin, program: Program): Promise<HandedOver> {
  const base = mkdtempSync(join(tmpdir(), 'ctx-handover-'));
  const strange: string[] = [];
  const first: { text: string } = { text: '' };
  const script = ({ tools }: { tools: string[] }) => (tools.length === 0 ? null : { text: `You asked: ${first.text}` });
  const server = await serveModel(program.wire, script, (line) => strange.push(line));
  const place = { home: join(base, 'home'), project: join(base, 'project'), url: server.url };
  try {
    return await play(origin, program, server, place, first, strange);
  } catch (error) {
    return { messages: 0, losses: [], problems: [...strange, String(error)] };
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

async function play(
  origin: Origin,
  program: Program,
  server: ModelServer,
  place: Place,
  first: { text: string },
  strange: readonly string[],
): Promise<HandedOver> {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  for (const folder of [place.home, place.project]) mkdirSync(folder, { recursive: true });
  const prepared = program.prepare(place);
  const bin = join(prefixOf(program.package), 'node_modules', '.bin');
  const path = [bin, prepared['PATH'] ?? process.env['PATH'] ?? ''].join(delimiter);
  const env = { HOME: place.home, TERM: 'xterm', ...prepared, PATH: path };
  const json = <T>(...words: string[]): T => askCtx(place, env, words, newerNode());
  spawnSync('git', ['init', '-q', place.project]);
  json('init');
  json('ingest', join(ROOT, 'fixtures', origin.file));
  const view = json<Message[]>('messages');
  const exported = json<Exported>('export', '--to', program.agent, '--install');
  const written = exported.file === null ? null : readFileSync(exported.file);
  const lost = new Set(
    exported.losses.filter(({ kind }) => kind === 'instructions').flatMap((loss) => loss.message_ids),
  );
  // The system prompt is the agent's own.
  const expected = view.filter(({ id, role }) => role !== 'system' && !lost.has(id));
  first.text = expected.flatMap(textsOf).at(0)?.split('\n')[0]?.slice(0, 60).trim() ?? '';

  for (const [number, prompt] of PROMPTS.entries()) {
    const before = server.asked.length;
    const ran = await run(join(bin, program.bin), program.continues(prompt, exported.agent_session_id), place, env);
    check(ran.ended, `${program.bin} did not end in time: ${ran.output}`);
    check(ran.output.includes(first.text), `resume ${number + 1}: no answer: ${ran.output} ${strange.join('; ')}`);
    const asked = server.asked[before];
    if (!asked) {
      problems.push(`resume ${number + 1}: the model was not asked: ${ran.output}`);
      continue;
    }
    problems.push(...differences(expected, asked.turns).map((one) => `resume ${number + 1}: ${one}`));
    const said = PROMPTS.slice(0, number + 1).every((text) =>
      asked.turns.some((turn) => turn.type === 'user' && turn.text.includes(text)),
    );
    check(said, `resume ${number + 1}: not every prompt since was sent`);
  }
  if (exported.file !== null && written)
    check(
      existsSync(exported.file) && readFileSync(exported.file).subarray(0, written.length).equals(written),
      'the exported part of the file was changed',
    );
  json('ingest', exported.file ?? program.kept?.(place) ?? '');
  const after = json<Message[]>('messages');
  check(json<unknown[]>('stage', 'list').length === 1, 'what the program added went into another session');
  const texts = after.flatMap(textsOf);
  for (const prompt of PROMPTS)
    check(
      texts.filter((text) => text === prompt).length === 1,
      `“${prompt}” came back ${texts.filter((text) => text === prompt).length} times`,
    );
  // The program's own instructions come along with what was said.
  const [said, now] = [view, after].map((messages) => messages.filter(isSaid).length);
  check(now === (said ?? 0) + 2 * PROMPTS.length, `${said} messages became ${now}`);
  return { messages: exported.messages, losses: exported.losses, problems };
}

/** Checks if somebody said a message, and no program wrote it. */
const isSaid = (message: Message): boolean =>
  message.role !== 'system' && message.metadata?.is_meta !== true && !textsOf(message).includes(OF_CLAUDE_CODE);

/** Text that Claude Code writes in the name of the agent if a history ends with the user. */
const OF_CLAUDE_CODE = 'No response requested.';

function textsOf({ parts }: Message): string[] {
  return parts.flatMap(({ type, text, data }) => {
    if (type === 'text' && text?.trim()) return [text];
    return type === 'data-compaction' && data?.summary ? [data.summary] : [];
  });
}

const resultText = ({ output, errorText }: Part): string => {
  const value = errorText ?? output;
  if (typeof value === 'string') return value;
  const blocks = Array.isArray(value) ? value : [];
  return blocks.map((block: { text?: string }) => block.text ?? '').join('\n');
};

const plain = (text: string): string => text.replaceAll('\u200b', '').replaceAll(/\s+/g, ' ').trim();

/** Returns what of a view a request lacks, or has in another order. */
function differences(expected: readonly Message[], turns: readonly Turn[]): string[] {
  const problems: string[] = [];
  let [at, offset] = [0, 0];
  const spoken = turns.flatMap((turn) =>
    turn.type === 'user' || turn.type === 'assistant' ? [{ role: turn.type, text: plain(turn.text) }] : [],
  );
  for (const message of expected)
    for (const text of textsOf(message).map(plain)) {
      const isSummary = message.metadata?.is_compact_summary === true;
      let found = false;
      for (let index = at; index < spoken.length && !found; index += 1) {
        const turn = spoken[index];
        if (!turn || (turn.role !== message.role && !isSummary)) continue;
        const place = turn.text.indexOf(text, index === at ? offset : 0);
        if (place < 0) continue;
        found = true;
        [at, offset] = [index, place + text.length];
      }
      if (!found) problems.push(`${message.role} “${text.slice(0, 80)}” is not in the request, or not in its place`);
    }
  const calls = expected
    .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
    .filter(({ type, toolCallId }) => type === 'dynamic-tool' && toolCallId);
  const sent = turns.filter((turn) => turn.type === 'call');
  if (sent.length !== calls.length) problems.push(`${sent.length} calls were sent instead of ${calls.length}`);
  for (const [index, call] of calls.entries()) {
    const turn = sent[index];
    if (!turn) continue;
    const input = typeof call.input === 'object' && call.input !== null ? call.input : { input: call.input };
    if (turn.name !== call.toolName && !/^(?:Task)$/.test(call.toolName ?? ''))
      problems.push(`call ${index}: ${turn.name} instead of ${call.toolName}`);
    if (!isDeepStrictEqual(turn.input, input))
      problems.push(`call ${index}: ${JSON.stringify(turn.input)} instead of ${JSON.stringify(input)}`);
    const results = turns.filter((other) => other.type === 'result' && other.id === turn.id);
    const [result] = results;
    const wanted = plain(resultText(call));
    if (results.length !== 1 || result?.type !== 'result') problems.push(`call ${index}: ${results.length} results`);
    else if (!plain(result.text).includes(wanted))
      problems.push(`call ${index}: “${result.text.slice(0, 80)}” instead of “${wanted.slice(0, 80)}”`);
  }
  return problems;
}

/** Runs a program to its end. */
function run(
  program: string,
  words: readonly string[],
  place: Place,
  env: Record<string, string>,
): Promise<{ ended: boolean; output: string }> {
  const child = spawn(program, words, { cwd: place.project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let ended = true;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString('utf8');
    });
  const late = setTimeout(() => {
    ended = false;
    child.kill('SIGKILL');
  }, LONGEST);
  return new Promise((resolve) =>
    child.on('close', () => {
      clearTimeout(late);
      resolve({ ended, output: output.slice(-2000) });
    }),
  );
}
