/** `ctx export --to <agent>`: writes a session as a transcript that the agent's own resume opens. */
import { isAbsolute, resolve } from 'node:path';
import { AGENTS, agentNamed } from '../../../agents/index.ts';
import { CtxError } from '../../../core/errors.ts';
import { historyOf } from '../../../core/exchange/history.ts';
import { derivedUuid } from '../../../core/exchange/ids.ts';
import type { Loss } from '../../../core/exchange/losses.ts';
import { titleOf } from '../../../core/listing/title.ts';
import type { Message } from '../../../core/message.ts';
import type { Session } from '../../../core/session/session.ts';
import { plural } from '../../../core/text.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { discard } from '../../../platform/files.ts';
import { type Loaded, loadConversation, messageNamed } from '../../conversation/load.ts';
import { wholeMessages } from '../../conversation/read.ts';
import type { Surroundings } from '../../setup/hook-places.ts';
import { isFolder, isInProject, pathsOf, withoutLinks } from '../../setup/project-paths.ts';
import { type Earlier, type Exported, earlierOf, speakersOf } from './exported.ts';
import { chosenModel, chosenProvider, createWhole, placeOf, resumeLine, takeIn } from './install.ts';
import { endOfFile, endOfKept, type Position } from './position.ts';
import { remember } from './remember.ts';
import { isWritten, type Transcript, type WrittenAgent, writeTranscript } from './transcript.ts';

export interface NativeOptions {
  /** Name of the agent. */
  to: string;
  /** True if it is put where the agent finds it. */
  install?: boolean | undefined;
  /** The file; one in the folder, named by the new session, if absent. */
  output?: string | undefined;
  /** The message that the history begins with, by its id or the beginning of it. */
  from?: string | undefined;
  /** True if what compactions have hidden takes the place of the summaries. */
  full?: boolean | undefined;
  /** True if thoughts of another agent are written as marked texts. */
  thoughtsAsText?: boolean | undefined;
  /** The folder in which the agent is started; that of the session if it is in the project, else the project, if absent. */
  folder?: string | undefined;
  /** True if the sessions that it resumes come before it. */
  withResumed?: boolean | undefined;
  /** True if the export is an operation of its own, which `ctx undo` takes back. */
  isOperation?: boolean | undefined;
  around: Surroundings;
}

export interface NativeResult {
  session_id: string;
  agent: string;
  /** The file; null if the program of the agent keeps sessions in a database. */
  file: string | null;
  /** The file with the losses, beside it. */
  companion: string | null;
  agent_session_id: string;
  resume_command: string;
  messages: number;
  losses: Loss[];
  /** Number of messages that were added to an existing transcript; null if it is a new one. */
  added: number | null;
  /** Remarks for the user who resumes it, a sentence each. */
  remarks: string[];
}

/** Names of the agents whose transcripts ctx writes. */
export const nativeTargets = (): string[] => AGENTS.filter(isWritten).map(({ name }) => name);

/** Returns an agent whose transcripts ctx writes. @throws {CtxError} usage */
function targetNamed(name: string): WrittenAgent {
  const agent = agentNamed(name);
  if (agent && isWritten(agent)) return agent;
  throw new CtxError('usage', `ctx writes no transcripts for ${name}.`, {
    hint: `It writes them for: ${nativeTargets().join(', ')}`,
  });
}

/**
 * Returns the messages that are exported, with long texts whole.
 * @throws {CtxError} not_found, if there are none, or the first one is not among them
 */
export function messagesOf(
  repository: Repository,
  { conversation, trees }: Loaded,
  { full, from }: Pick<NativeOptions, 'full' | 'from'>,
): Message[] {
  const all = historyOf(conversation, full === true);
  const first = from === undefined ? undefined : messageNamed(conversation, from).id;
  const at = first === undefined ? 0 : all.findIndex(({ message }) => message.id === first);
  if (at < 0)
    throw new CtxError('not_found', `The model does not see the message ${first}.`, {
      hint: full ? 'See what it sees with: ctx messages' : 'Export what a compaction has hidden, too, with: --full',
    });
  const messages = [...wholeMessages(repository, all.slice(at), trees, 'whole')];
  if (messages.length > 0) return messages;
  throw new CtxError('not_found', 'The session has no messages that a model would be sent.', {
    hint: 'See every message with: ctx messages --view all',
  });
}

/** Returns the folder in which the agent of a session is started again, links resolved. */
function folderOf({ project }: Repository, session: Session): string {
  const cwd = session['cwd'];
  const isHere = typeof cwd === 'string' && isAbsolute(cwd) && isFolder(cwd) && isInProject(cwd, pathsOf(project));
  return withoutLinks(resolve(isHere ? cwd : project));
}

/**
 * Writes a session as the transcript of an agent.
 * @param given a session, open or ended
 * @throws {CtxError} usage, not_found, ambiguous, no_active_session, invalid_input if the file exists, io, busy, damaged
 */
export function exportNative(repository: Repository, given: string, options: NativeOptions): NativeResult {
  const agent = targetNamed(options.to);
  const loaded = loadConversation(repository, given, options.withResumed);
  const { session, before } = loaded;
  const messages = messagesOf(repository, loaded, options);
  const speakers = speakersOf([...before, session]);
  const cwd = options.folder === undefined ? folderOf(repository, session) : withoutLinks(resolve(options.folder));
  const model = chosenModel(agent, cwd, options.around);
  const fresh = {
    agent_session_id: agent.write.idOf(uuidOf(repository)),
    at: repository.clock(),
    title: titleOf(session),
  };
  const write = (about: Pick<Exported, 'agent_session_id' | 'at' | 'title'>): Transcript =>
    writeTranscript(agent, {
      messages,
      thoughtsAsText: options.thoughtsAsText === true,
      session: about.agent_session_id,
      isOwn: speakers.length > 0 && speakers.every((name) => name === agent.name),
      cwd,
      at: about.at,
      title: about.title,
      branch: typeof session['git_branch'] === 'string' ? session['git_branch'] : null,
      model,
      provider: chosenProvider(agent, options.around),
    });
  const work: Work = { repository, agent, loaded, options, cwd, model, messages: messages.length };
  if (!options.install) return inFile(work, write(fresh), fresh);
  const earlier = earlierOf([...before, session], agent.name, agent.write.place !== undefined);
  const grown = earlier && grownBy(work, earlier, write);
  if (grown !== null && typeof grown !== 'string') return grown;
  const result = installed(work, write(fresh), fresh);
  if (earlier === null) return result;
  const left = `It is a new one; ${earlier.exported.agent_session_id} was left as it was: ${grown}.`;
  return { ...result, remarks: [left, ...result.remarks] };
}

/** Returns a random UUID in lower case: no id of ctx is one that an agent may know already. */
const uuidOf = (repository: Repository): string => derivedUuid(repository.ids(), repository.ids());

/** Values that the ways of writing have in common. */
interface Work {
  repository: Repository;
  agent: WrittenAgent;
  loaded: Loaded;
  options: NativeOptions;
  cwd: string;
  model: string | null;
  messages: number;
}

type Names = Pick<Exported, 'agent_session_id' | 'at' | 'title'>;

const namesOf = ({ agent_session_id, at, title }: Exported): Names => ({ agent_session_id, at, title });

const needsModel = ({ agent, model }: Work): boolean => agent.write.modelFiles !== undefined && model === null;

function resultOf(work: Work, { losses }: Transcript, names: Names, file: string | null): NativeResult {
  const { agent, loaded, cwd, options, messages } = work;
  const session = names.agent_session_id;
  const { directory } = options.around;
  return {
    session_id: loaded.session.session_id,
    agent: agent.name,
    file,
    companion: null,
    agent_session_id: session,
    resume_command: resumeLine(agent, { session, cwd, directory, needsModel: needsModel(work) }),
    messages,
    losses,
    added: null,
    remarks: [],
  };
}

/** Writes the losses beside a file. */
function writeCompanion({ repository }: Work, result: NativeResult, path: string): void {
  const { session_id, agent, agent_session_id, messages, losses } = result;
  const text = `${JSON.stringify({ session_id, agent, agent_session_id, messages, losses }, null, 2)}\n`;
  createWhole(repository, path, text);
}

/** Runs work; if it fails, a file that was written before is removed. */
function orWithout<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    discard(path);
    throw error;
  }
}

/** Writes a transcript into a file of the user's. */
function inFile(work: Work, transcript: Transcript, names: Names): NativeResult {
  const { repository, agent, options, cwd } = work;
  const { directory } = options.around;
  const end = agent.write.place ? 'jsonl' : 'json';
  const file = resolve(directory, options.output ?? `${agent.name}-${names.agent_session_id}.${end}`);
  createWhole(repository, file, transcript.text);
  const session = names.agent_session_id;
  const place = placeOf(agent, { session, cwd, at: names.at }, options.around);
  const from = { file, place };
  const line = resumeLine(agent, { session, cwd, directory, from, needsModel: needsModel(work) });
  const result = { ...resultOf(work, transcript, names, file), resume_command: line };
  const companion = `${file}.losses.json`;
  orWithout(file, () => writeCompanion(work, result, companion));
  return { ...result, companion };
}

/** Returns the entry of a transcript in its session. */
const entryOf = ({ agent, cwd }: Work, names: Names): Omit<Exported, keyof Position> => ({
  agent: agent.name,
  ...names,
  directory: cwd,
});

/** Returns the session that takes in what the agent does. */
const takerOf = ({ loaded: { session, isOpen } }: Work): { session_id: string; isOpen: boolean } => ({
  session_id: session.session_id,
  isOpen,
});

/** Puts a transcript where the agent finds it, and makes what the agent does with it a part of the session. */
function installed(work: Work, transcript: Transcript, names: Names): NativeResult {
  const { repository, agent, options, cwd } = work;
  const session = names.agent_session_id;
  const around = { ...options.around, directory: cwd };
  const place = placeOf(agent, { session, cwd, at: names.at }, around);
  const result = resultOf(work, transcript, names, place);
  // Before the session is changed: what fails then has changed nothing.
  const companion = companionOf(repository, session);
  writeCompanion(work, result, companion);
  const remarks = orWithout(companion, () => {
    if (place === null) takeIn(repository, agent, session, transcript.text, around);
    else createWhole(repository, place, transcript.text);
    const end = place === null ? endOfKept(agent.name, session, around) : endOfFile(place, transcript);
    if (end === null)
      return [`The database of ${agent.name} cannot be read here: what it does is recorded as a new session.`];
    return remember(repository, takerOf(work), end, entryOf(work, names), options.isOperation === true);
  });
  return { ...result, companion, remarks };
}

const companionOf = ({ layout }: Repository, session: string): string =>
  `${layout.cache}/exports/${session}.losses.json`;

/** Adds what is new to a transcript that is as ctx left it; returns why if that cannot be done. */
function grownBy(work: Work, earlier: Earlier, write: (names: Names) => Transcript): NativeResult | string {
  if ('why' in earlier) return earlier.why;
  const { repository } = work;
  const { exported, text } = earlier;
  const transcript = write(exported);
  if (!transcript.text.startsWith(text)) return 'it ends within a turn, or what it has was changed';
  const more = transcript.text.slice(text.length);
  if (more !== '') {
    const end = endOfFile(exported.file, transcript);
    remember(repository, takerOf(work), end, entryOf(work, namesOf(exported)), false, more);
  }
  const lines = more === '' ? 0 : more.trimEnd().split('\n').length;
  const remarks = [
    more === ''
      ? 'It was up to date.'
      : `${plural(lines, 'line')} were added to what was there; ctx undo does not take them back.`,
  ];
  return { ...resultOf(work, transcript, exported, exported.file), added: lines, remarks };
}
