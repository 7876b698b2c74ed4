/** Sessions in the files of older versions of opencode, one for each session, message and part, read as an export. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { LINE_LIMIT } from '../../core/lines.ts';
import { valueIn } from '../shared/document/document.ts';
import type { Export } from './unfold.ts';

/** Access to a folder of opencode; paths begin there and have slashes. */
export interface StorageFiles {
  /** Returns the names in a folder; none if there is no such folder. */
  list: (folder: string) => string[];
  /** Returns the text of a file, which is read whenever its message is; null if it is longer than any line. */
  read: (file: string) => string | null;
}

/** A session in such a folder. */
export interface StoredSession {
  id: string;
  /** The file of the session itself. */
  file: string;
  /** The folder of its messages, and that of the parts of a message. */
  messages: string;
  partsOf: (message: string) => string;
}

const named = (names: readonly string[]): string[] =>
  names.flatMap((name) => /^([\w-]{1,200})\.json$/.exec(name)?.[1] ?? []).sort();

/** Returns a session of the first versions, which had everything below `session`. */
function oldest(id: string, file: string): StoredSession {
  return { id, file, messages: `session/message/${id}`, partsOf: (message) => `session/part/${id}/${message}` };
}

const newer = (id: string, file: string): StoredSession => {
  return { id, file, messages: `message/${id}`, partsOf: (message) => `part/${message}` };
};

/** Returns the sessions of a folder, by their ids; none if it is no such folder. */
export function storedSessions(files: StorageFiles): StoredSession[] {
  const found = files.list('session').flatMap((project) => {
    const folder = `session/${project}`;
    const make = project === 'info' ? oldest : newer;
    return named(files.list(folder)).map((id) => make(id, `${folder}/${id}.json`));
  });
  return found.filter(({ id }) => id.startsWith('ses_')).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A session as an export, and the problems of its files, by their paths, which are complete when all messages were read. */
export interface StoredExport extends Export {
  unreadable: ReadonlyMap<string, string>;
}

const TOO_LONG = `is larger than ${LINE_LIMIT / 1_048_576} MiB, and was not kept`;

/** Reads one session. */
class Reading {
  readonly unreadable = new Map<string, string>();
  readonly #files: StorageFiles;

  constructor(files: StorageFiles) {
    this.#files = files;
  }

  /** Returns the object in a file; if there is none, `otherwise` makes one that keeps its text. */
  object(file: string, otherwise: (text: string) => JsonObject): JsonObject {
    const text = this.#files.read(file);
    const value = text === null ? undefined : valueIn(text);
    if (isObject(value)) return value;
    this.unreadable.set(file, text === null ? TOO_LONG : 'is no JSON object');
    return otherwise(text ?? '');
  }

  /** Yields the messages, whose ids are in the order of time. */
  *messages(session: StoredSession): Generator<JsonObject> {
    for (const id of named(this.#files.list(session.messages))) yield this.#message(session, id);
  }

  #message(session: StoredSession, id: string): JsonObject {
    const info = this.object(`${session.messages}/${id}.json`, (text) => ({ id, unreadable: text }));
    const folder = session.partsOf(id);
    const parts = named(this.#files.list(folder)).map((part) =>
      this.object(`${folder}/${part}.json`, (value) => ({ id: part, type: 'unreadable', value })),
    );
    return { info, parts };
  }
}

/** Returns the fields of a session; none if its file cannot be read. */
export const storedInfo = (files: StorageFiles, session: StoredSession): JsonObject =>
  new Reading(files).object(session.file, () => ({}));

/** Returns a session as `opencode export` writes it. Text that cannot be read is kept unchanged. */
export function storedExport(files: StorageFiles, session: StoredSession): StoredExport {
  const reading = new Reading(files);
  const info = reading.object(session.file, (unreadable) => ({ id: session.id, unreadable }));
  return { fields: { info }, messages: () => reading.messages(session), unreadable: reading.unreadable };
}
