/** Puts a transcript where its agent finds it, or into a file of the user's, and never over a file that is there. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TranscriptTarget } from '../../../agents/contract/transcript-writer.ts';
import { startOf } from '../../../agents/starts.ts';
import { CtxError } from '../../../core/errors.ts';
import { objectOf, textOf } from '../../../core/json.ts';
import { plainValue, readJsonc } from '../../../core/jsonc.ts';
import { oneLine, quoted } from '../../../core/text.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { createFile, discard, readIfThere, removeFile, renameDurably } from '../../../platform/files.ts';
import { type Surroundings, userFolder } from '../../setup/hook-places.ts';
import type { WrittenAgent } from './transcript.ts';

/** Largest file of settings that is read. */
const SETTINGS_LIMIT = 1024 * 1024;

const read = (path: string): string | null => {
  try {
    return readIfThere(path, SETTINGS_LIMIT)?.toString('utf8') ?? null;
  } catch {
    // It is too large, or may not be read: then it decides nothing.
    return null;
  }
};

/** Returns the user's own folder of an agent. @throws {CtxError} not_found */
function homeOf(agent: WrittenAgent, around: Surroundings): string {
  const [transcripts] = [agent.places?.()].flat();
  const folders = transcripts ?? agent.collections?.();
  const home = folders && userFolder(folders, around);
  if (home) return home;
  throw new CtxError('not_found', 'No home folder is known.', { hint: 'Set HOME, or name a file with: -o <file>' });
}

/** Returns the path at which an agent finds a session; null if only the program itself takes a session in. */
export function placeOf(
  agent: WrittenAgent,
  target: Pick<TranscriptTarget, 'session' | 'cwd' | 'at'>,
  around: Surroundings,
): string | null {
  return agent.write.place ? agent.write.place({ ...target, home: homeOf(agent, around), read }) : null;
}

/** Returns the model that the user has chosen in the settings of an agent; null if none is known. */
export function chosenModel(agent: WrittenAgent, cwd: string, around: Surroundings): string | null {
  const home = around.environment['HOME'] || around.environment['USERPROFILE'] || '';
  const config = around.environment['XDG_CONFIG_HOME'] || join(home, '.config');
  for (const folder of [cwd, join(cwd, '.opencode'), join(config, 'opencode')])
    for (const name of agent.write.modelFiles ?? []) {
      const model = modelIn(read(join(folder, name)));
      if (model !== null) return model;
    }
  return null;
}

/** Returns the provider of models in the settings of an agent; null if its transcripts name none. @throws {CtxError} not_found */
export const chosenProvider = (agent: WrittenAgent, around: Surroundings): string | null =>
  agent.write.providerIn?.({ home: homeOf(agent, around), read }) ?? null;

function modelIn(text: string | null): string | null {
  const root = text === null ? undefined : readJsonc(text);
  return root === undefined ? null : (textOf(objectOf(plainValue(root))?.['model']) ?? null);
}

/** Writes a file that must not be there yet, whole or not at all. @throws {CtxError} io, invalid_input */
export function createWhole(repository: Repository, path: string, text: string): void {
  const refuse = (): never => {
    throw new CtxError('invalid_input', `${oneLine(path, 1024)} exists already.`, {
      hint: 'Name another file: -o <file>',
    });
  };
  if (existsSync(path)) refuse();
  const temporary = join(dirname(path), `.${repository.ids()}.tmp`);
  createFile(temporary, text, repository.durability);
  if (existsSync(path)) {
    discard(temporary);
    refuse();
  }
  renameDurably(temporary, path, repository.durability);
}

/** Longest that a program may take to take in a session, in milliseconds. */
const LONGEST = 120_000;

/** Lets the program of an agent take in a session. @throws {CtxError} not_found, io */
export function takeIn(
  repository: Repository,
  agent: WrittenAgent,
  session: string,
  text: string,
  { directory, environment }: Surroundings,
): void {
  const { program = agent.name } = startOf(agent.name) ?? {};
  const file = join(repository.layout.cache, 'exports', `${session}.json`);
  createFile(file, text, repository.durability);
  const words = agent.write.takeIn?.(file) ?? [];
  const env = { ...environment } as NodeJS.ProcessEnv;
  const ran = spawnSync(program, [...words], {
    cwd: directory,
    env,
    encoding: 'utf8',
    timeout: LONGEST,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  removeFile(file);
  if ((ran.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    throw new CtxError('not_found', `${program} is not installed here, or is not on PATH.`, {
      hint: `Write a file instead, and take it in there: ctx export --to ${agent.name} -o <file>`,
    });
  // The program ends with 0 after some faults, too.
  if (ran.status === 0 && ran.stdout.includes(session)) return;
  throw new CtxError('io', `${program} did not take the session in: ${oneLine(`${ran.stderr} ${ran.stdout}`, 400)}`, {
    hint: `Write a file instead: ctx export --to ${agent.name} -o <file>`,
  });
}

/** Parts of a command line that resumes a session. */
export interface ResumeLine {
  session: string;
  cwd: string;
  /** Folder that the user is in. */
  directory: string;
  /** A file that is not where the agent finds it, and the place in which it would be found; absent if it is in place. */
  from?: { file: string; place: string | null } | undefined;
  /** True if the user has to name a model. */
  needsModel: boolean;
}

/** Returns the one command line that resumes a session. */
export function resumeLine(agent: WrittenAgent, { session, cwd, directory, from, needsModel }: ResumeLine): string {
  const start = startOf(agent.name);
  const program = start?.program ?? agent.name;
  const lines = resolve(directory) === cwd ? [] : [`cd ${quoted(cwd)}`];
  if (from?.place)
    lines.push(`mkdir -p ${quoted(dirname(from.place))}`, `cp ${quoted(from.file)} ${quoted(from.place)}`);
  else if (from) lines.push([program, ...(agent.write.takeIn?.(from.file) ?? [])].map(quoted).join(' '));
  const model = needsModel ? ['--model', '<provider/model>'] : [];
  lines.push([...[program, ...(start?.resume(session) ?? [])].map(quoted), ...model].join(' '));
  return lines.join(' && ');
}
