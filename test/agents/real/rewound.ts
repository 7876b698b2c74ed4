/**
 * Lets a program compact its conversation by itself, and takes that conversation back with `ctx rewind … --install` to a message of the user before the
 * compaction: what the program sends to its model then is the full messages up to there, and nothing of what came after.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Place, Program } from './programs.ts';
import { type ModelServer, type Script, serveModel } from './server.ts';
import { askCtx, environmentOf, runProgram } from './start.ts';
import { type Chapter, scriptFor } from './story.ts';
import type { Turn } from './wire.ts';

const CHAPTERS = {
  first: {
    prompt: 'Add retry to the client',
    command: 'echo 12 tests pass',
    answer: 'Retry is in, and 12 tests pass.',
  },
  second: { prompt: 'Log every attempt', command: 'echo 13 tests pass', answer: 'Every attempt is logged.' },
  third: { prompt: 'Write the changelog', answer: 'The changelog is written.' },
  fourth: { prompt: 'Count the attempts instead', answer: 'The attempts are counted.' },
} satisfies Record<string, Chapter>;
const SUMMARY = 'In short: the client is robust by now.';

/** Words by which a program asks for the summary of a compaction. */
const ASKS = /create a (?:detailed|handoff) summary/i;

/** Answers a request for a summary with the summary, and any other by the chapters. */
const scriptOf = (program: Program): Script => {
  const told = scriptFor(program.shell, Object.values(CHAPTERS));
  return (asked) => {
    const last = asked.turns.at(-1);
    const asks = last?.type === 'user' && ASKS.test(last.text);
    return asks ? { text: `<summary>${SUMMARY}</summary>` } : told(asked);
  };
};

interface Message {
  id: string;
  role: string;
  parts: { type: string; text?: string }[];
}

interface Rewound {
  text: string;
  installed: { agent_session_id: string };
}

/** Returns what did not hold. */
export async function playRewound(program: Program): Promise<string[]> {
  if (program.compacts === undefined) return [];
  const base = mkdtempSync(join(tmpdir(), 'ctx-rewound-'));
  const strange: string[] = [];
  const server = await serveModel(program.wire, scriptOf(program), (line) => strange.push(line));
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
  const ctx = <T>(...words: string[]): T => askCtx(place, env, words);
  const say = async ({ prompt, answer }: Chapter, words: string[]): Promise<void> => {
    const ran = await runProgram(program, words, place, env, server);
    check(ran.ended && ran.printed.includes(answer), `no answer to “${prompt}”: ${ran.printed}`);
  };
  ctx('init');
  ctx('hooks', 'install', program.agent, '--project');
  const { first, second, third, fourth } = CHAPTERS;
  await say(first, program.words(first.prompt, false));
  await say(second, program.words(second.prompt, true));
  for (const words of program.compacts?.(third.prompt) ?? []) await runProgram(program, words, place, env, server);
  const compacted = server.asked.at(-1)?.turns ?? [];
  check(holds(compacted, 'user', SUMMARY) && holds(compacted, 'user', third.prompt), 'the program has not compacted');
  check(!holds(compacted, 'assistant', first.answer), 'the compaction has left the first answer in view');

  const messages = ctx<Message[]>('messages', '--view', 'all', '--role', 'user');
  const target = messages.find(({ parts }) => parts.some(({ text }) => text === second.prompt));
  const back = ctx<Rewound>('rewind', target?.id ?? '', '--install', program.agent);
  check(back.text === second.prompt, `the words of the message are ${JSON.stringify(back.text)}`);
  const asked = server.asked.length;
  await say(fourth, program.continues(fourth.prompt, back.installed.agent_session_id));
  const turns = server.asked[asked]?.turns ?? [];
  const spoken = turns.filter((turn) => !isPrograms(turn)).map(shortly);
  const wanted = [
    first.prompt,
    `call ${JSON.stringify(program.shell.input(first.command))}`,
    'result 12 tests pass',
    first.answer,
    second.prompt,
    fourth.prompt,
  ];
  check(isDeepStrictEqual(spoken, wanted), `the model was sent ${JSON.stringify(spoken)}`);
  for (const text of [SUMMARY, second.answer, third.prompt, third.answer])
    check(!turns.some((turn) => shortly(turn).includes(text)), `“${text}” was sent`);
  return problems;
}

const holds = (turns: readonly Turn[], type: Turn['type'], text: string): boolean =>
  turns.some((turn) => turn.type === type && shortly(turn).includes(text));

const TEXTS = Object.values(CHAPTERS).flatMap(({ prompt, answer }) => [prompt, answer]);

/** Text that Claude Code writes in the name of the agent if a history ends with the user. */
const OF_CLAUDE_CODE = 'No response requested.';

/** A text that the program itself puts beside the conversation: its instructions, its surroundings, what hooks say. */
const isPrograms = (turn: Turn): boolean =>
  (turn.type === 'user' && !TEXTS.includes(shortly(turn)) && !turn.text.includes(SUMMARY)) ||
  (turn.type === 'assistant' && turn.text === OF_CLAUDE_CODE);

/** One turn in a line. */
function shortly(turn: Turn): string {
  if (turn.type === 'call') return `call ${JSON.stringify(turn.input)}`;
  if (turn.type === 'result') return `result ${/\S+ tests pass$/m.exec(turn.text)?.[0] ?? turn.text}`;
  return turn.text.trim();
}
