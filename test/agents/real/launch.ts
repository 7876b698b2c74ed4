/**
 * Lets `ctx resume` start a program on a terminal, as a user does, and asks it for what only the session has: in the conversation that the program still
 * has, in the one that ctx writes for it once its own is gone, in a new one with the context block, and after another agent.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { startOf } from '../../../src/agents/starts.ts';
import { CLOSING } from '../../../src/core/resume/own-words.ts';
import { quoted } from '../../../src/core/text.ts';
import { type Ground, playOn } from './ground.ts';
import { prefixOf } from './place.ts';
import { newerNode, PROGRAMS, type Program } from './programs.ts';
import { serveModel } from './server.ts';
import { CTX, environmentOf, runCtx, runProgram, waitFor } from './start.ts';
import { type Chapter, scriptFor } from './story.ts';
import { Terminal } from './terminal.ts';

const FACT = 'the limit is 4711 attempts';
const FIRST: Chapter = {
  prompt: 'Look up the limit of attempts',
  command: 'echo 12 tests pass',
  answer: `I found it: ${FACT}. It is in !\`touch executed\` and @unasked.txt of the client.`,
};
/** Content of a file that the history names, in a way in which programs take a prompt for a request to read it. */
const UNASKED = 'nobody has asked for this line';
/** Questions whose answers are only in the session: one for each way in which an agent is started. */
const OWN: Chapter = { prompt: 'Which limit did you find', answer: 'It is in our conversation.' };
const WRITTEN: Chapter = { prompt: 'What was the limit again', answer: 'It still is in our conversation.' };
const NEW: Chapter = { prompt: 'Do you know the limit', answer: 'It was handed over to me.' };
const OTHER: Chapter = { prompt: 'Which limit did they find', answer: 'The other agent has found it.' };
/** The command that a session was begun with; its instructions end with a prompt. */
const COMMAND = 'limits';
const INSTRUCTION = 'Look after the limits of the client';
const ACKNOWLEDGED = 'I resume the search for the limit.';
const CHAPTERS: readonly Chapter[] = [
  ...[FIRST, OWN, WRITTEN, NEW, OTHER],
  ...[INSTRUCTION, CLOSING].map((prompt) => ({ prompt, answer: ACKNOWLEDGED })),
];
/** Longest that ctx may take to know what was said, in milliseconds. */
const LONGEST = 20_000;

type Conversation = 'own' | 'written' | 'new';

/** Returns what did not hold. */
export async function playLaunch(program: Program): Promise<string[]> {
  return [
    ...(await playOn(program, CHAPTERS, (ground) => playOwn(program, ground))),
    ...(await playOn(program, CHAPTERS, (ground) => playOther(program, ground))),
  ];
}

/** Resumes a session by the program that it was begun in. */
async function playOwn(program: Program, ground: Ground): Promise<void> {
  const { place, env, server, ctx, check } = ground;
  const begun = await runProgram(program, program.words(FIRST.prompt, false), place, env, server);
  check(begun.printed.includes(FIRST.answer), `no answer to “${FIRST.prompt}”: ${begun.printed}`);
  ctx('stop');
  await ask(program, ground, 'own', OWN);

  const forget = (): void => rmSync(join(place.home, program.conversations), { recursive: true });
  ctx('stop');
  forget();
  await ask(program, ground, 'written', WRITTEN);

  ctx('session', 'set', '--command', `/${COMMAND}`);
  ctx('stop');
  forget();
  await ask(program, ground, 'new', NEW);
  ctx('fsck', '--full');
}

/** Returns the program in which a session is begun that another one resumes. */
export const otherOf = ({ agent }: Program): Program =>
  PROGRAMS.find((program) => program.agent === (agent === 'codex' ? 'pi' : 'codex')) as Program;

/** Resumes a session that was begun in another agent. */
async function playOther(program: Program, ground: Ground): Promise<void> {
  const { place, ctx, check } = ground;
  const other = otherOf(program);
  const server = await serveModel(other.wire, scriptFor(other.shell, CHAPTERS), () => undefined);
  try {
    const its = { ...place, url: server.url };
    const env = environmentOf(other, its);
    ctx('hooks', 'install', other.agent, '--project');
    const begun = await runProgram(other, other.words(FIRST.prompt, false), its, env, server);
    check(begun.printed.includes(FIRST.answer), `no answer of ${other.agent} to “${FIRST.prompt}”: ${begun.printed}`);
  } finally {
    await server.close();
  }
  ctx('stop');
  await ask(program, ground, 'written', OTHER);
  ctx('fsck', '--full');
}

interface Message {
  parts: { type: string; text?: string }[];
}

/** Resumes the only session with the program on a terminal, and asks there. @param way in which it is to be started */
async function ask(program: Program, ground: Ground, way: Conversation, question: Chapter): Promise<void> {
  const { place, env, server, check } = ground;
  const node = program.kept ? newerNode() : process.execPath;
  const json = <T>(...words: string[]): T => {
    const ran = runCtx(place, env, ['--json', ...words], node);
    return (JSON.parse(ran.stdout) as { result: T }).result;
  };
  const isSaid = (text: string): boolean =>
    json<Message[]>('messages').some(({ parts }) => parts.some((part) => part.text?.includes(text) === true));
  const PATH = [namedIn(program, ground), env['PATH'] ?? ''].join(delimiter);
  const line = `${[node, CTX, 'resume', '1', '--launch', program.agent].map(quoted).join(' ')}; echo "ended: $?"; cat`;
  const before = server.asked.length;
  const terminal = new Terminal(dirname(place.home), line, place.project, { ...env, PATH });
  const state = (what: string): string => `${way}: ${what}; the screen: ${terminal.picture().trim().slice(-2000)}`;
  try {
    const isShown = await terminal.shows(way === 'new' ? ACKNOWLEDGED : FACT);
    check(isShown, state('the session is not shown'));
    if (!isShown) return;
    const since = server.asked.length;
    check(
      await terminal.enter(question.prompt, () => server.asked.length > since),
      state(`“${question.prompt}” was not asked`),
    );
    check(await terminal.shows(question.answer), state(`no answer to “${question.prompt}”`));
    const asked = server.asked.slice(before);
    const sent = asked
      .slice(-1)
      .map(({ turns, system }) => `${JSON.stringify(turns)}${system}`)
      .join();
    check(sent.includes(FACT), state('the model was not sent what only the session has'));
    const isBlock = sent.includes('=== ctx');
    check(isBlock === (way === 'new'), state(`a context block was ${isBlock ? '' : 'not '}sent`));
    if (way === 'new' && !program.takesNoCommand)
      check(sent.includes(INSTRUCTION), state('the instructions of the command were not sent'));
    check(!sent.includes(UNASKED), state('a file was sent that the history only names'));
    check(!existsSync(join(place.project, 'executed')), state('a command was run that the history only names'));
    const kept = program.kept?.(place);
    if (kept !== undefined) runCtx(place, env, ['ingest', kept], node);
    check(await waitFor(() => isSaid(question.answer), LONGEST), state(`ctx does not have “${question.answer}”`));
    check(isSaid(question.prompt), state(`ctx does not have “${question.prompt}”`));
    const sessions = json<unknown[]>('stage', 'list').length;
    check(sessions === 1, state(`there are ${sessions} sessions`));
  } finally {
    await terminal.close();
  }
}

/** Puts the program under its own name into a folder for PATH, with the words of an alias. @returns the folder */
function namedIn(program: Program, { place }: Ground): string {
  const { program: name = program.bin, commandFiles } = startOf(program.agent) ?? {};
  const folder = join(dirname(place.home), 'bin');
  const words = [
    join(prefixOf(program.package), 'node_modules', '.bin', program.bin),
    ...program.prepareTerminal(place),
  ];
  put(join(folder, name), `#!/bin/sh\nexec ${words.map(quoted).join(' ')} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
  const [file = ''] = commandFiles?.(COMMAND) ?? [];
  put(
    join(place.project, file),
    file.endsWith('.toml')
      ? `prompt = "${INSTRUCTION}"\n`
      : `---\ndescription: Looks up limits\n---\n\n${INSTRUCTION}\n`,
  );
  put(join(place.project, 'unasked.txt'), `${UNASKED}\n`);
  return folder;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
