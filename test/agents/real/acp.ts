/**
 * Talks to a program over the Agent Client Protocol as an editor does, with `ctx acp --record` between them: every byte comes through, ctx has what was
 * said under the id that the program gave, and another connection loads it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { prefixOf, ROOT } from './place.ts';
import type { Place, Program } from './programs.ts';
import { type ModelServer, serveModel } from './server.ts';
import { askCtx, type Environment, environmentOf } from './start.ts';
import { type Chapter, scriptFor } from './story.ts';

const CTX = join(ROOT, 'dist', 'ctx.cjs');
/** Longest that an answer may take, in milliseconds. */
const LONGEST = 120_000;
const MINUTE = 60_000;
/** Longest that an update may take after the answer that it belongs to, in milliseconds. */
const LONGEST_BEHIND = 10_000;

const FIRST = {
  prompt: 'Add retry to the client',
  command: 'echo 12 tests pass',
  answer: 'Retry is in, and tests pass.',
};
const SECOND = { prompt: 'Count the attempts', answer: 'The attempts are counted.' };
const CHAPTERS: readonly Chapter[] = [FIRST, SECOND];

/** Returns what did not hold. */
export async function playAcp(program: Program): Promise<string[]> {
  if (program.acp === undefined) return [];
  const base = mkdtempSync(join(tmpdir(), 'ctx-acp-'));
  const strange: string[] = [];
  const server = await serveModel(program.wire, scriptFor(program.shell, CHAPTERS), (line) => strange.push(line));
  try {
    return await play(program, server, { home: join(base, 'home'), project: join(base, 'project'), url: server.url });
  } catch (error) {
    return [...strange, String(error)];
  } finally {
    for (const editor of Editor.open) editor.drop();
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until the clock shows another minute. */
const nextMinute = (): Promise<void> => pause(MINUTE - (Date.now() % MINUTE) + 1000);

interface Message {
  role: string;
  parts: { type: string; text?: string }[];
}

async function play(program: Program, _server: ModelServer, place: Place): Promise<string[]> {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  for (const folder of [place.home, place.project]) mkdirSync(folder, { recursive: true });
  const env = environmentOf(program, place);
  const ctx = <T>(...words: string[]): T => askCtx(place, env, words);
  ctx('init');
  const begin = { cwd: place.project, mcpServers: [] };
  const first = new Editor(program, place, env, []);
  await first.begins(program);
  const { sessionId } = (await first.ask('session/new', begin)) as { sessionId: string };
  const ended = await first.says(sessionId, FIRST.prompt);
  check(ended === 'end_turn', `the turn ended with ${String(ended)}: ${first.errors}`);
  check(first.texts().includes(FIRST.answer), `no answer came through: ${first.texts()}`);
  problems.push(...(await first.leaves()));

  if (program.filesByMinute) await nextMinute();
  const second = new Editor(program, place, env, ['--offer-load']);
  await second.begins(program);
  await second.ask('session/load', { sessionId, ...begin });
  // A program may answer before it has sent the whole of what it has loaded.
  check(await second.gets(FIRST.answer), `the answer was not loaded: ${second.texts()}`);
  await second.says(sessionId, SECOND.prompt);
  check(second.texts().includes(SECOND.answer), `no answer in the second connection: ${second.texts()}`);
  problems.push(...(await second.leaves()));

  const sessions = ctx<{ agent_session_id: string }[]>('list');
  check(
    sessions.length === 1 && sessions[0]?.agent_session_id === sessionId,
    `ctx list has ${JSON.stringify(sessions)}`,
  );
  const messages = ctx<Message[]>('messages');
  const said = messages.flatMap(({ role, parts }) =>
    parts.flatMap(({ type, text }) => (type === 'text' ? [`${role}: ${text?.trim()}`] : [])),
  );
  for (const text of [
    `user: ${FIRST.prompt}`,
    `assistant: ${FIRST.answer}`,
    `user: ${SECOND.prompt}`,
    `assistant: ${SECOND.answer}`,
  ])
    check(said.filter((one) => one === text).length === 1, `“${text}” is not there once: ${said.join('; ')}`);
  check(JSON.stringify(messages).includes('12 tests pass'), 'the output of the command is not recorded');
  ctx('fsck');
  return problems;
}

interface Packet {
  id?: number | string;
  method?: string;
  params?: { update?: { content?: { text?: string } }; options?: { optionId: string; kind: string }[] };
  result?: unknown;
  error?: { message?: string };
}

/** A client of the protocol; the agent behind ctx has its input and its output written down, as it gets and gives them. */
class Editor {
  /** Those whose connection is not closed. */
  static readonly open = new Set<Editor>();
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, (packet: Packet) => void>();
  readonly #folder: string;
  #sent = '';
  #got = '';
  #rest = '';
  #said = '';
  #updated: () => void = () => undefined;
  #count = 0;
  errors = '';

  constructor(program: Program, place: Place, env: Environment, options: readonly string[]) {
    this.#folder = mkdtempSync(join(place.home, 'wire-'));
    const path = join(prefixOf(program.package), 'node_modules', '.bin', program.bin);
    const agent = `tee '${this.#folder}/in' | "$@" | tee '${this.#folder}/out'`;
    const words = ['sh', '-c', agent, 'sh', path, ...(program.acp ?? [])];
    this.#child = spawn(process.execPath, [CTX, 'acp', '--record', ...options, '--', ...words], {
      cwd: place.project,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    Editor.open.add(this);
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (bytes: Buffer) => {
      this.errors += bytes.toString('utf8');
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#hears(text));
  }

  async begins(program: Program): Promise<void> {
    const fs = { readTextFile: false, writeTextFile: false };
    await this.ask('initialize', { protocolVersion: 1, clientCapabilities: { fs, terminal: false } });
    if (program.acpLogin !== undefined) await this.ask('authenticate', { methodId: program.acpLogin });
  }

  /** Sends a request; resolves with its result. */
  ask(method: string, params: object): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    const answered = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${method}: ${this.errors}`)), LONGEST);
      this.#waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        if (error) reject(new Error(`${method}: ${JSON.stringify(error)}`));
        else resolve(result);
      });
    });
    this.#send({ jsonrpc: '2.0', id, method, params });
    return answered;
  }

  async says(sessionId: string, text: string): Promise<string | undefined> {
    const prompt = [{ type: 'text', text }];
    return ((await this.ask('session/prompt', { sessionId, prompt })) as { stopReason?: string } | null)?.stopReason;
  }

  /** The texts of all updates so far. */
  texts = (): string => this.#said;

  /** Waits for a text in the updates. @returns whether it came */
  async gets(text: string): Promise<boolean> {
    const end = Date.now() + LONGEST_BEHIND;
    while (!this.#said.includes(text) && Date.now() < end)
      await new Promise<void>((done) => {
        const late = setTimeout(done, end - Date.now());
        this.#updated = () => {
          clearTimeout(late);
          done();
        };
      });
    return this.#said.includes(text);
  }

  /** Closes the connection, and waits for nothing. */
  drop(): void {
    Editor.open.delete(this);
    this.#child.stdin.end();
    this.#child.unref();
  }

  /** Closes the connection. @returns in which direction bytes were changed */
  async leaves(): Promise<string[]> {
    Editor.open.delete(this);
    const ended = once(this.#child, 'close');
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), LONGEST);
    await ended;
    clearTimeout(late);
    const read = (name: string): string => readFileSync(join(this.#folder, name), 'utf8');
    return [
      ...(read('in') === this.#sent ? [] : ['the agent did not get what was sent']),
      ...(read('out') === this.#got ? [] : ['the editor did not get what the agent said']),
    ];
  }

  #send(packet: object): void {
    const line = `${JSON.stringify(packet)}\n`;
    this.#sent += line;
    this.#child.stdin.write(line);
  }

  #hears(text: string): void {
    this.#got += text;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.#takes(JSON.parse(line) as Packet);
      } catch {
        // A program may write other lines, which are passed on as well.
      }
    }
  }

  #takes(packet: Packet): void {
    const { id, method, params } = packet;
    this.#said += params?.update?.content?.text ?? '';
    this.#updated();
    if (method === undefined) {
      this.#waiting.get(id as number)?.(packet);
      this.#waiting.delete(id as number);
    } else if (id !== undefined) {
      const option = params?.options?.find(({ kind }) => kind === 'allow_once');
      const outcome = { outcome: { outcome: 'selected', optionId: option?.optionId } };
      const answer = option ? { result: outcome } : { error: { code: -32601, message: 'not supported' } };
      this.#send({ jsonrpc: '2.0', id, ...answer });
    }
  }
}
