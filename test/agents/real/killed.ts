/**
 * Kills a program and all that it has started in the middle of a turn, and goes on: ctx has the history, its open calls are closed, it knows where the
 * agent goes on, and the agent does go on there. Once its own transcript is gone, a new conversation has the history by the context block.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ground, playOn } from './ground.ts';
import type { Program } from './programs.ts';
import type { ModelServer } from './server.ts';
import { runProgram } from './start.ts';
import type { Chapter } from './story.ts';

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
export const playKilled = (program: Program): Promise<string[]> =>
  playOn(program, CHAPTERS, (ground) => play(program, ground));

async function play(program: Program, { place, env, server, ctx, check }: Ground): Promise<void> {
  const [first, second, third] = CHAPTERS as [Chapter, Chapter, Chapter];
  const begun = await runProgram(program, program.words(first.prompt, false), place, env, server);
  check(begun.printed.includes(first.answer), `no answer to “${first.prompt}”: ${begun.printed}`);
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
  if (cursor === null) return;

  const asked = server.asked.length;
  const own = await runProgram(program, program.continues(third.prompt, cursor.agent_session_id), place, env, server);
  check(own.printed.includes(third.answer), `no answer to “${third.prompt}”: ${own.printed}`);
  check(knows(server, asked), 'the resumed conversation does not have what was said before');

  const late = server.asked.length;
  const block = `${result.context}\n\n${third.prompt}`;
  const anew = await runProgram(program, program.words(block, false), place, env, server);
  check(anew.printed.includes(third.answer), `no answer in a new conversation: ${anew.printed}`);
  check(knows(server, late), 'the new conversation does not have the context block');
}

/** Checks if the requests since one of them have the fact. */
const knows = ({ asked }: ModelServer, since: number): boolean =>
  asked.slice(since).some(({ turns }) => turns.some((turn) => turn.type !== 'call' && turn.text.includes(FACT)));
