/** The local socket of a run: readers of its log wait here for more, and `ctx abort` asks here. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject } from '../../core/json.ts';

/** Side that aborts a run: its user, or the run that has started it as a sub-agent's. */
export type Aborter = 'user' | 'parent';

/** Longest path of a socket, in bytes: 104 on macOS with its end. */
const LONGEST_PATH = 100;
/** Longest request. */
const LONGEST_REQUEST = 1024;

/** The end of the socket that the run has. */
export class RunSocket {
  /** Its path; null if there is none, and readers look again now and then. */
  readonly path: string | null;
  readonly #readers = new Set<Socket>();
  readonly #server: Server;
  /** A folder outside of the store, whose path is too long for a socket. */
  readonly #folder: string | null;

  private constructor(server: Server, path: string | null, folder: string | null) {
    this.#server = server;
    this.path = path;
    this.#folder = folder;
  }

  /** Opens a socket that only its user can connect to. A machine without such sockets has none. */
  static async open(wanted: string, onAbort: (by: Aborter) => void): Promise<RunSocket> {
    const isTooLong = Buffer.byteLength(wanted) > LONGEST_PATH;
    const folder = isTooLong ? mkdtempSync(join(tmpdir(), 'ctx-run-')) : null;
    const path = folder === null ? wanted : join(folder, 'socket');
    const server = createServer();
    const isOpen = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      const before = process.umask(0o177);
      try {
        server.listen(path, () => resolve(true));
      } finally {
        process.umask(before);
      }
    });
    if (isOpen) chmodSync(path, 0o600);
    server.unref();
    const made = new RunSocket(server, isOpen ? path : null, folder);
    server.on('connection', (socket) => made.#accept(socket, onAbort));
    return made;
  }

  #accept(socket: Socket, onAbort: (by: Aborter) => void): void {
    this.#readers.add(socket);
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#readers.delete(socket));
    let asked = '';
    socket.on('data', (bytes) => {
      asked += bytes.toString('latin1');
      if (asked.length > LONGEST_REQUEST) return void socket.destroy();
      if (!asked.includes('\n')) return;
      const by = aborterIn(asked.slice(0, asked.indexOf('\n')));
      asked = '';
      if (by) onAbort(by);
    });
    // Everything that was written before this moment is in the log already.
    socket.write('\n');
  }

  /** Says to every reader that there is more. One that does not read is passed over: it finds all of it in the log. */
  notify(): void {
    for (const reader of this.#readers) if (!reader.writableNeedDrain) reader.write('\n');
  }

  close(): void {
    this.#server.close();
    for (const reader of this.#readers) reader.destroy();
    for (const path of [this.path, this.#folder]) if (path !== null) rmSync(path, { recursive: true, force: true });
  }
}

function aborterIn(line: string): Aborter | null {
  try {
    const asked: unknown = JSON.parse(line);
    return isObject(asked) && asked['do'] === 'abort' ? (asked['by'] === 'parent' ? 'parent' : 'user') : null;
  } catch {
    return null;
  }
}

/** Asks a run to abort; returns false if its process does not answer. */
export function askToAbort(path: string | null, by: Aborter): Promise<boolean> {
  if (path === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.end(`${JSON.stringify({ do: 'abort', by })}\n`, () => resolve(true)));
    socket.on('data', () => undefined);
  });
}

/** Removes the socket of a run whose process was killed. */
export function removeSocket(path: string | null, wanted: string): void {
  if (path === null) return;
  rmSync(path, { force: true });
  if (path !== wanted && /\/ctx-run-[^/]+\/socket$/.test(path)) rmSync(dirname(path), { recursive: true, force: true });
}

/** Waits for news of a run: yields whenever there is more in its log, and ends when its process ends, or closes the socket. */
export async function* newsOf(path: string | null, signal?: AbortSignal): AsyncGenerator<void> {
  if (path === null) return;
  const socket = createConnection(path);
  const stop = (): void => void socket.destroy();
  signal?.addEventListener('abort', stop);
  try {
    for await (const _ of socket) yield;
  } catch {
    // The run has ended, or its process is gone.
  } finally {
    signal?.removeEventListener('abort', stop);
    socket.destroy();
  }
}
