/** `ctx session set`: keeps what is known of a session: its agent, its command, its model, its system prompt, its tools. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { ABOUT_KEYS, Session } from '../../core/session/session.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { readIfThere } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { requireCurrent } from './active.ts';
import { prepareRecord } from './records.ts';
import { checkedTitle } from './title.ts';

/** Facts about a session; a field that is absent stays as it is. */
export interface AboutGiven {
  agent?: string | undefined;
  agent_version?: string | undefined;
  command?: string | undefined;
  mode?: string | undefined;
  model?: string | undefined;
  type?: string | undefined;
  title?: string | undefined;
  /** The file with the system prompt: its SHA-256 and its path are kept. */
  system_prompt_file?: string | undefined;
  /** The SHA-256 of a system prompt that is no file. */
  system_prompt_sha256?: string | undefined;
  mcp_servers?: readonly string[] | undefined;
  tools?: readonly string[] | undefined;
}

export type AboutResult = { session_id: string; title: string; step: number } & {
  [Key in Exclude<(typeof ABOUT_KEYS)[number], 'launched'>]: Session[Key] | null;
};

/** @throws {CtxError} not_found, if the file does not exist */
function promptFrom(project: string, directory: string, file: string): Session['system_prompt'] {
  const path = resolve(directory, file);
  const content = readIfThere(path);
  if (content === undefined) {
    throw new CtxError('not_found', `There is no file ${path}.`, { hint: 'Name the file with the system prompt.' });
  }
  const below = relative(project, path);
  const isBelow = !isAbsolute(below) && below.split(sep)[0] !== '..';
  return { sha256: sha256(content), path: isBelow ? below.split(sep).join('/') : path };
}

/** Makes the records of what was given. @param directory where a relative path starts @throws {CtxError} invalid_input, not_found */
function recordsOf(project: string, directory: string, given: AboutGiven): AnyBody[] {
  const { title, system_prompt_file: file, system_prompt_sha256: hash, ...plain } = given;
  const prompt = file === undefined ? hash && { sha256: hash.toLowerCase() } : promptFrom(project, directory, file);
  const fields = {
    ...plain,
    ...(prompt && { system_prompt: prompt }),
  };
  const stated = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [
    ...(stated.length === 0 ? [] : [{ kind: 'about' as const, by: 'user', ...Object.fromEntries(stated) }]),
    ...(title === undefined ? [] : [{ kind: 'title' as const, content: checkedTitle(title) }]),
  ];
}

/**
 * Keeps what is known of the current session.
 * @throws {CtxError} invalid_input, if nothing is given; not_found, no_active_session, busy, damaged
 */
export function setAbout(repository: Repository, directory: string, given: AboutGiven): AboutResult {
  const bodies = recordsOf(repository.project, directory, given);
  if (bodies.length === 0) {
    throw new CtxError('invalid_input', 'Nothing was given to keep.', { hint: 'See: ctx session set --help' });
  }
  return transact(repository, { command: 'session set', message: 'session set' }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const at = repository.clock();
    const own = bodies.map((body) => prepareRecord(repository, repository.objects, at, { body }));
    const flushed = flushInto(repository, chain, at, { own, leavesMissed: true });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    return describeAbout(flushed.chain.session);
  });
}

function describeAbout(session: Session): AboutResult {
  const { session_id, step, agent, agent_version, command, mode, model, type } = session;
  const { system_prompt, mcp_servers, tools } = session;
  const kept = { agent, agent_version, command, mode, model, type, system_prompt, mcp_servers, tools };
  const all = Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, value ?? null]));
  return { session_id, title: titleOf(session), step, ...all } as AboutResult;
}
