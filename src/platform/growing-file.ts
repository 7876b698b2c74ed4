/** A file that grows line by line: each is written at once, and on disk within a limited time. */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Durability, ioError, makeFolder, syncFolder, writeAll } from './files.ts';

/** Longest time from a write to the beginning of its fsync, in milliseconds. */
const SYNC_DELAY = 40;

export class GrowingFile {
  readonly #path: string;
  readonly #handle: number;
  readonly #durability: Durability;
  /** True if each write waits until its bytes are on disk. */
  readonly #isSynced: boolean;
  #timer: NodeJS.Timeout | null = null;
  #isSyncing = false;
  #isDirty = false;
  #isClosed = false;

  /** Creates the file; there must be none. @throws {CtxError} io */
  constructor(path: string, durability: Durability, isSynced: boolean) {
    this.#path = path;
    this.#durability = durability;
    this.#isSynced = isSynced;
    makeFolder(dirname(path), durability);
    try {
      this.#handle = openSync(path, 'wx', 0o600);
    } catch (error) {
      throw ioError('create', path, error);
    }
    syncFolder(dirname(path), durability);
  }

  /** Appends a text. @throws {CtxError} io */
  append(text: string): void {
    try {
      writeAll(this.#handle, Buffer.from(text));
      if (!this.#durability.fsync) return;
      if (this.#isSynced) fdatasyncSync(this.#handle);
      else this.#syncSoon();
    } catch (error) {
      throw ioError('write', this.#path, error);
    }
  }

  /** Waits until all of it is on disk. @throws {CtxError} io */
  sync(): void {
    if (!this.#durability.fsync || this.#isClosed) return;
    try {
      fdatasyncSync(this.#handle);
    } catch (error) {
      throw ioError('write', this.#path, error);
    }
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The handle of a running fsync is closed behind it.
    if (!this.#isSyncing) closeSync(this.#handle);
  }

  #syncSoon(): void {
    this.#isDirty = true;
    if (this.#timer || this.#isSyncing) return;
    this.#timer = setTimeout(() => this.#syncNow(), SYNC_DELAY);
  }

  #syncNow(): void {
    this.#timer = null;
    this.#isDirty = false;
    this.#isSyncing = true;
    // A failure shows again with the sync at the end.
    fdatasync(this.#handle, () => {
      this.#isSyncing = false;
      if (this.#isClosed) closeSync(this.#handle);
      else if (this.#isDirty) this.#syncSoon();
    });
  }
}
