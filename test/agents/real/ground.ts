/** Prepares a place for a program: a home, a project with a store and our hooks, and a model server of our own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newerNode, type Place, type Program } from './programs.ts';
import { type ModelServer, serveModel } from './server.ts';
import { type Environment, environmentOf, runCtx } from './start.ts';
import { type Chapter, scriptFor } from './story.ts';

export interface Ground {
  place: Place;
  env: Environment;
  server: ModelServer;
  /** Runs ctx, which has to end with 0; returns its standard output. */
  ctx: (...words: string[]) => string;
  /** Notes a problem unless something holds. */
  check: (holds: boolean, problem: string) => void;
}

/**
 * Plays with a program.
 * @param chapters the script of its model
 * @returns what did not hold
 */
export async function playOn(
  program: Program,
  chapters: readonly Chapter[],
  play: (ground: Ground) => Promise<void>,
): Promise<string[]> {
  const base = mkdtempSync(join(tmpdir(), 'ctx-agents-'));
  const strange: string[] = [];
  const problems: string[] = [];
  const server = await serveModel(program.wire, scriptFor(program.shell, chapters), (line) => strange.push(line));
  try {
    const place = { home: join(base, 'home'), project: join(base, 'project'), url: server.url };
    for (const folder of [place.home, place.project]) mkdirSync(folder, { recursive: true });
    const env = environmentOf(program, place);
    const check = (holds: boolean, problem: string): void => {
      if (!holds) problems.push(problem);
    };
    // A database is read by a newer Node.
    const node = program.kept ? newerNode() : process.execPath;
    const ctx = (...words: string[]): string => {
      const ran = runCtx(place, env, words, node);
      check(ran.status === 0, `ctx ${words.join(' ')} ended with ${ran.status}: ${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    };
    spawnSync('git', ['init', '-q', place.project]);
    ctx('init');
    ctx('hooks', 'install', program.agent, '--project');
    await play({ place, env, server, ctx, check });
    return problems;
  } catch (error) {
    return [...problems, ...strange, String(error)];
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}
