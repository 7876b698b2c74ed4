/**
 * Kills a program and all that it has started in the middle of a turn, and goes on: ctx has the history, its open calls are closed, it knows where the
 * agent goes on, and the agent does go on there. Once its own transcript is gone, a new conversation has the history by the context block.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place, Program } from './programs.ts';
import { type ModelServer, serveModel } from './server.ts';
import { environmentOf, runCtx, runProgram } from './start.ts';
import { type Chapter, scriptFor } from './story.ts';

const FACT = 'the limit is 4711 attempts';
const SLEEP = 'touch begun && sleep 300';
const CHAPTERS: readonly Chapter[] = [
  { prompt: 'Look up the limit of attempts', command: 'echo 12 tests pass', answer: `I found it: ${FACT}.` },
  { prompt: 'Also run the long test for it', command: SLEEP, answer: 'It has run.' },
  { prompt: 'Which limit did you find', answer: 'As I said.' },
];

interface Resumed {
  continues: string | null;
  context: string;
  resume_cursor: { agent: string; agent_session_id: string; last_message_id: string | null } | null;
}

/** Returns what did not hold. */
export async function playKilled(program: Program): Promise<string[]> {
  const base = mkdtempSync(join(tmpdir(), 'ctx-killed-'));
  const strange: string[] = [];
  const server = await serveModel(program.wire, scriptFor(program.shell, CHAPTERS), (line) => strange.push(line));
  try {
    return await play(program, server, { home: join(base, 'home'), project: join(base, 'project'), url: server.url });
  } catch (error) {
    return [...strange, String(error)];
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function play(program: Program, server: ModelServer, place: Place): Promise<string[]> {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  for (const folder of [place.home, place.project]) mkdirSync(folder, { recursive: true });
  const env = environmentOf(program, place);
  const ctx = (...words: string[]): string => {
    const ran = runCtx(place, env, words);
    check(ran.status === 0, `ctx ${words.join(' ')} ended with ${ran.status}: ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  ctx('init');
  ctx('hooks', 'install', program.agent, '--project');
  const [first, second, third] = CHAPTERS as [Chapter, Chapter, Chapter];
  const begun = await runProgram(program, program.words(first.prompt, false), place, env, server);
  check(begun.told.includes(first.answer), `no answer to “${first.prompt}”: ${begun.told}`);
  await runProgram(program, program.words(second.prompt, true), place, env, server, {
    signal: 'SIGKILL',
    when: () => existsSync(join(place.project, 'begun')),
  });

  const listed = ctx('list');
  const { result } = JSON.parse(ctx('--json', 'resume', '1')) as { result: Resumed };
  for (const text of [first.prompt, FACT, second.prompt])
    check(result.context.includes(text), `the context lacks “${text}”: ${listed}`);
  const open = ctx('--json', 'messages', '--view', 'all').match(/"state":"input-(?:available|streaming)"/g) ?? [];
  check(open.length === 0, `${open.length} calls are open`);
  const cursor = result.resume_cursor;
  check(cursor?.agent === program.agent && cursor.last_message_id !== null, `the cursor is ${JSON.stringify(cursor)}`);
  ctx('fsck', '--full');
  if (cursor === null) return problems;

  const asked = server.asked.length;
  const own = await runProgram(program, program.continues(third.prompt, cursor.agent_session_id), place, env, server);
  check(own.told.includes(third.answer), `no answer to “${third.prompt}”: ${own.told}`);
  check(knows(server, asked), 'the resumed conversation does not have what was said before');

  const late = server.asked.length;
  const block = `${result.context}\n\n${third.prompt}`;
  const anew = await runProgram(program, program.words(block, false), place, env, server);
  check(anew.told.includes(third.answer), `no answer in a new conversation: ${anew.told}`);
  check(knows(server, late), 'the new conversation does not have the context block');
  return problems;
}

/** Checks if the requests since one of them have the fact. */
const knows = ({ asked }: ModelServer, since: number): boolean =>
  asked.slice(since).some(({ turns }) => turns.some((turn) => turn.type !== 'call' && turn.text.includes(FACT)));
