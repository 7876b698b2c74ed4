/** Sessions as older versions of opencode store them, a file for each session, message and part: put together as an export. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { LINE_LIMIT } from '../../core/lines.ts';
import { valueIn } from '../shared/document/document.ts';
import type { Export } from './unfold.ts';

/** What can be asked of a folder of opencode; paths begin there and have slashes. */
export interface StorageFiles {
  /** The names in a folder; none where there is no such folder. */
  list: (folder: string) => string[];
  /** The text of a file, asked for whenever its message is gone through; null where it is longer than any line. */
  read: (file: string) => string | null;
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

/** A session put together, and what is wrong with files of it, by their paths; complete when its messages are through. */
export interface StoredExport extends Export {
  unreadable: ReadonlyMap<string, string>;
}

const TOO_LONG = `is larger than ${LINE_LIMIT / 1_048_576} MiB, and was not kept`;

/** Puts one session together. */
class Reading {
  readonly unreadable = new Map<string, string>();
  readonly #files: StorageFiles;

  constructor(files: StorageFiles) {
    this.#files = files;
  }

  /** The object in a file; of what is none, `otherwise` makes one that keeps its text. */
  object(file: string, otherwise: (text: string) => JsonObject): JsonObject {
    const text = this.#files.read(file);
    const value = text === null ? undefined : valueIn(text);
    if (isObject(value)) return value;
    this.unreadable.set(file, text === null ? TOO_LONG : 'is no JSON object');
    return otherwise(text ?? '');
  }

  /** Ids stand in the order of time. */
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

/** What the file of a session tells of it; nothing where it cannot be read. */
export const storedInfo = (files: StorageFiles, session: StoredSession): JsonObject =>
  new Reading(files).object(session.file, () => ({}));

/** A session as `opencode export` writes it. What cannot be read of it is kept as it stands. */
export function storedExport(files: StorageFiles, session: StoredSession): StoredExport {
  const reading = new Reading(files);
  const info = reading.object(session.file, (unreadable) => ({ id: session.id, unreadable }));
  return { fields: { info }, messages: () => reading.messages(session), unreadable: reading.unreadable };
}
