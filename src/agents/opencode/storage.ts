/** Sessions as older versions of opencode store them, a file for each session, message and part: put together as an export. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { valueIn } from '../shared/versions/document.ts';

/** What can be asked of a folder of opencode; paths begin there and have slashes. */
export interface StorageFiles {
  /** The names in a folder; none where there is no such folder. */
  list: (folder: string) => string[];
  /** The text of a file. */
  read: (file: string) => string;
}

/** A session in such a folder. */
export interface StoredSession {
  id: string;
  /** The file that tells of it. */
  file: string;
  /** Where its messages lie, and where the parts of a message. */
  messages: string;
  partsOf: (message: string) => string;
}

const named = (names: readonly string[]): string[] =>
  names.flatMap((name) => /^([\w-]{1,200})\.json$/.exec(name)?.[1] ?? []).sort();

/** The first versions had all of it below `session`. */
function oldest(id: string, file: string): StoredSession {
  return { id, file, messages: `session/message/${id}`, partsOf: (message) => `session/part/${id}/${message}` };
}

const newer = (id: string, file: string): StoredSession => {
  return { id, file, messages: `message/${id}`, partsOf: (message) => `part/${message}` };
};

/** The sessions of a folder, by their ids; none where it is no such folder. */
export function storedSessions(files: StorageFiles): StoredSession[] {
  const found = files.list('session').flatMap((project) => {
    const folder = `session/${project}`;
    const make = project === 'info' ? oldest : newer;
    return named(files.list(folder)).map((id) => make(id, `${folder}/${id}.json`));
  });
  return found.filter(({ id }) => id.startsWith('ses_')).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The value of a file; what is none is kept as its text. */
function valueAt(files: StorageFiles, file: string): JsonValue {
  const text = files.read(file);
  return valueIn(text) ?? text;
}

function partOf(files: StorageFiles, folder: string, id: string): JsonValue {
  const value = valueAt(files, `${folder}/${id}.json`);
  return isObject(value) ? value : { id, type: 'unreadable', value };
}

function messageOf(files: StorageFiles, session: StoredSession, id: string): JsonValue {
  const info = valueAt(files, `${session.messages}/${id}.json`);
  const folder = session.partsOf(id);
  const parts = named(files.list(folder)).map((part) => partOf(files, folder, part));
  // Ids stand in the order of time.
  return isObject(info) ? { info, parts } : info;
}

/** A session as `opencode export` writes it. What cannot be read of it is kept as it stands. */
export function storedExport(files: StorageFiles, session: StoredSession): JsonObject {
  const told = valueAt(files, session.file);
  const info = isObject(told) ? told : { id: session.id, unreadable: told };
  return { info, messages: named(files.list(session.messages)).map((id) => messageOf(files, session, id)) };
}
