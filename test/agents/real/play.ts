/** Takes one program through the story, with our hooks installed by our command, and compares what ctx has with what its model saw. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { newerNode, type Place, type Program } from './programs.ts';
import { type Shown, toldByCtx, toldByServer } from './seen.ts';
import { type ModelServer, serveModel } from './server.ts';
import { environmentOf, runCtx, runProgram } from './start.ts';
import { STORY, scriptFor } from './story.ts';
import type { Asked } from './wire.ts';

export interface Played {
  /** Results, in words. */
  figures: Record<string, string>;
  problems: string[];
}

export async function playStory(program: Program): Promise<Played> {
  const base = mkdtempSync(join(tmpdir(), 'ctx-agents-'));
  const strange: string[] = [];
  const server = await serveModel(program.wire, scriptFor(program.shell), (line) => strange.push(line));
  try {
    return await play(program, server, { home: join(base, 'home'), project: join(base, 'project'), url: server.url });
  } catch (error) {
    return { figures: {}, problems: [...strange, String(error)] };
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

async function play(program: Program, server: ModelServer, place: Place): Promise<Played> {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  for (const folder of [place.home, place.project]) mkdirSync(folder, { recursive: true });
  const environment = environmentOf(program, place);
  const ctxBy = (node: string, words: readonly string[]): string => {
    const ran = runCtx(place, environment, words, node);
    check(ran.status === 0, `ctx ${words.join(' ')} ended with ${ran.status}: ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  const ctx = (...words: string[]): string => ctxBy(process.execPath, words);
  const json = <T>(...words: string[]): T => (JSON.parse(ctx('--json', ...words)) as { result: T }).result;
  spawnSync('git', ['init', '-q', place.project]);
  ctx('init');
  ctx('hooks', 'install', program.agent, '--project');

  const states: string[] = [];
  const requests: number[] = [];
  for (const [number, chapter] of STORY.entries()) {
    requests.push(server.asked.length);
    const ran = await runProgram(program, program.words(chapter.prompt, number > 0), place, environment, server);
    check(ran.ended, `${program.bin} did not end in time at “${chapter.prompt}”: ${ran.printed}`);
    check(
      chapter.interrupted === true || ran.printed.includes(chapter.answer),
      `no answer to “${chapter.prompt}”: ${ran.printed}`,
    );
    states.push(json<{ session_state?: { kind: string } }>('stage', 'status').session_state?.kind ?? 'none');
  }

  const kept = program.kept?.(place);
  if (kept !== undefined) ctxBy(newerNode(), ['ingest', kept]);
  const { steps } = json<{ steps: { observations: Shown[] }[] }>('show', 'STAGE');
  const records = steps.flatMap(({ observations }) => observations);
  const [saw, has] = [toldByServer(server, program.shell.input), toldByCtx(records)];
  for (const what of ['prompts', 'answers', 'calls'] as const)
    check(
      isDeepStrictEqual(saw[what], has[what]),
      `${what}: the model saw ${JSON.stringify(saw[what])}, ctx has ${JSON.stringify(has[what])}`,
    );
  for (const [number, text] of [
    [1, STORY[0]?.answer],
    [2, STORY[1]?.prompt],
  ] as const)
    check(wasTold(server.asked[requests[number] ?? 0], text ?? ''), `“${text}” was not told at the resume`);
  const moves = records.filter(({ kind }) => kind === 'transition').map(({ to }) => (to as { kind: string }).kind);
  check(moves.includes('Interrupted'), `the interrupt was not noticed: ${moves.join(', ')}`);
  check(json<unknown[]>('stage', 'list').length === 1, 'there is more than one session');
  const errors = join(place.project, '.ctx', 'hook-errors.jsonl');
  check(!existsSync(errors), existsSync(errors) ? readFileSync(errors, 'utf8') : '');
  const captured = ctx('capture', 'status').trim().split('\n')[0] ?? '';
  ctx('fsck', '--full');
  ctx('hooks', 'uninstall', program.agent, '--project');
  return {
    problems,
    figures: {
      requests: String(server.asked.length),
      prompts: String(has.prompts.length),
      answers: String(has.answers.length),
      calls: has.calls.join('; '),
      'states after each run': states.join(', '),
      moves: moves.join(', '),
      captured,
    },
  };
}

/** Checks if a request holds what ctx quotes of its history, and in it a text. */
const wasTold = (asked: Asked | undefined, text: string): boolean =>
  asked?.turns.some((turn) => turn.type === 'user' && quotedIn(turn.text).includes(text)) === true;

/** The lines that are quoted; Gemini CLI writes what hooks say as HTML. */
const quotedIn = (text: string): string =>
  text.includes('From ctx, the memory of this project: quoted history')
    ? (text.match(/^(?:>|&gt;) .*$/gm) ?? []).join('\n')
    : '';
