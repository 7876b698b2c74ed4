/** Pointers: refs, STAGE and HEAD, read as Git reads them and moved under Git's own lock files. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { monotonicTime } from '../platform/clock.ts';
import {
  createFile,
  type Durability,
  errorCode,
  exists,
  ioError,
  linkFile,
  listFolder,
  pause,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../platform/files.ts';
import { ARCHIVE, isPointer, type Layout, SESSIONS } from './layout.ts';
import type { PointerMove, Story } from './pointer.ts';
import { appendReflog, dropReflog } from './reflog.ts';

const OID = /^[0-9a-f]{40}$/;
const STAGE_LINE = /^ref: (refs\/sessions\/[0-9A-Za-z-]+)\n$/;

export interface Refs {
  /** The object id a ref names, or null. @throws {CtxError} damaged, where its file is torn */
  read: (ref: string) => string | null;
  /** The ref that STAGE names, or null where no session is active. @throws {CtxError} damaged */
  stage: () => string | null;
  /** Names of the refs below a prefix that ends in a slash, in order; whatever their files hold. */
  names: (prefix: string) => string[];
  /** Refs below a prefix that ends in a slash, by name. */
  list: (prefix: string) => Map<string, string>;
  /** Moves one pointer by compare-and-swap. Only under LOCK. @throws {CtxError} busy, not_found, damaged, io */
  move: (move: PointerMove, story: Story) => void;
  /** Takes away what a killed process of ours has left of a move. Only under LOCK. */
  clearLeftovers: () => void;
}

export class FileRefs implements Refs {
  readonly #layout: Layout;
  readonly #durability: Durability;
  /** Longest wait for a lock file of Git's, in milliseconds. */
  readonly #wait: number;

  constructor(layout: Layout, durability: Durability, wait: number) {
    this.#layout = layout;
    this.#durability = durability;
    this.#wait = wait;
  }

  read(ref: string): string | null {
    if (!isPointer(ref) || ref === 'STAGE') throw new CtxError('bug', `${ref} is no ref of ctx`);
    // Git packs refs by writing packed-refs first and removing the loose file after: looking once more closes the gap.
    return this.#loose(ref) ?? this.#packed().get(ref) ?? this.#loose(ref);
  }

  stage(): string | null {
    const text = readIfThere(this.#layout.stage)?.toString('utf8');
    if (text === undefined) return null;
    const ref = STAGE_LINE.exec(text)?.[1];
    if (ref === undefined || !isPointer(ref)) {
      throw damaged('STAGE', `it must say "ref: refs/sessions/<id>", and says ${JSON.stringify(text.slice(0, 80))}`, {
        hint: 'Mend it with: ctx fsck --repair',
      });
    }
    return ref;
  }

  names(prefix: string): string[] {
    const refs = [...this.#packed().keys()].filter((ref) => ref.startsWith(prefix));
    const loose = listFolder(join(this.#layout.root, prefix)).filter((name) => !name.endsWith('.lock'));
    return [...new Set([...loose.map((name) => prefix + name), ...refs])].filter(isPointer).sort();
  }

  list(prefix: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const ref of this.names(prefix)) {
      const oid = this.read(ref);
      if (oid !== null) found.set(ref, oid);
    }
    return found;
  }

  move(move: PointerMove, story: Story): void {
    const { pointer } = move;
    if (!isPointer(pointer)) throw new CtxError('bug', `${pointer} is no pointer of ctx`);
    const path = join(this.#layout.root, pointer);
    const line = pointer === 'STAGE' ? `ref: ${move.new}\n` : `${move.new}\n`;
    const marker = this.#layout.refMarker;
    this.#lock(`${path}.lock`, marker, move.new === null ? '' : line);
    let held = true;
    try {
      const current = pointer === 'STAGE' ? this.stage() : this.read(pointer);
      if (current !== move.old) throw moved(pointer, move.old, current);
      if (move.new === null) this.#remove(pointer, path);
      else {
        if (pointer !== 'STAGE') appendReflog(this.#layout.root, move, story, this.#durability);
        // From here on a file of that name is somebody else's: Git may take its lock as soon as ours has become the ref.
        held = false;
        renameDurably(`${path}.lock`, path, this.#durability);
      }
    } finally {
      // Without its marker a lock that a power cut brings back would be taken for Git's.
      if (held && removeFile(`${path}.lock`)) syncFolder(dirname(path), this.#durability);
      removeFile(marker);
    }
  }

  clearLeftovers(): void {
    const { refMarker, packedMarker, root, packedRefs } = this.#layout;
    const markers = [refMarker, packedMarker].filter(exists);
    if (markers.length === 0) return;
    const ours = markers.map(inodeOf);
    const folders = ['refs/heads', SESSIONS, ARCHIVE].map((folder) => join(root, folder));
    const locks = folders.flatMap((folder) => listFolder(folder).map((name) => join(folder, name)));
    for (const path of [...locks, join(root, 'STAGE.lock'), `${packedRefs}.lock`]) {
      if (path.endsWith('.lock') && ours.includes(inodeOf(path))) removeFile(path);
    }
    for (const marker of markers) removeFile(marker);
  }

  /** Git's way: out of `packed-refs` first, then the loose file, so that no older value shows in between. */
  #remove(pointer: string, path: string): void {
    if (pointer === 'STAGE') {
      this.#removeLoose(path);
      return;
    }
    const { packedRefs, packedMarker } = this.#layout;
    const lock = `${packedRefs}.lock`;
    // Held until the loose file is gone: Git, packing meanwhile, would bring the ref back.
    this.#lock(lock, packedMarker, '');
    try {
      if (this.#packed().has(pointer)) {
        const text = readIfThere(packedRefs)?.toString('utf8') ?? '';
        const temporary = `${packedMarker}.new`;
        removeFile(temporary);
        writeDurably(packedRefs, temporary, withoutRef(text, pointer), this.#durability);
      }
      this.#removeLoose(path);
    } finally {
      removeFile(lock);
      removeFile(packedMarker);
    }
    dropReflog(this.#layout.root, pointer);
  }

  #removeLoose(path: string): void {
    removeFile(path);
    syncFolder(dirname(path), this.#durability);
  }

  /**
   * Creates one of Git's lock files, exclusively, with the new value in it. It has a second name of ours, the marker, while
   * we hold it, so that the next holder of LOCK can tell a killed ctx's from a living Git's.
   */
  #lock(path: string, marker: string, content: string): void {
    removeFile(marker);
    createFile(marker, content, this.#durability);
    const started = monotonicTime();
    for (let next = 1; !this.#linkOrCreate(marker, path, content); next = Math.min(next * 2, 100)) {
      if (monotonicTime() - started > this.#wait) {
        removeFile(marker);
        throw held(path, this.#layout.root);
      }
      pause(next);
    }
  }

  #linkOrCreate(marker: string, path: string, content: string): boolean {
    try {
      return linkFile(marker, path);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))) throw ioError('lock', path, error);
    }
    try {
      createFile(path, content, this.#durability);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  #loose(ref: string): string | null {
    let text: string | undefined;
    try {
      text = readIfThere(join(this.#layout.root, ref))?.toString('utf8');
    } catch (error) {
      throw damaged(ref, 'its file cannot be read', { cause: error });
    }
    if (text === undefined) return null;
    const oid = text.replace(/\n$/, '');
    if (!OID.test(oid))
      throw damaged(ref, `its file does not hold an object id but ${JSON.stringify(text.slice(0, 80))}`);
    return oid;
  }

  #packed(): Map<string, string> {
    const refs = new Map<string, string>();
    const text = readIfThere(this.#layout.packedRefs)?.toString('utf8') ?? '';
    for (const [index, line] of text.split('\n').entries()) {
      if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
      const match = /^([0-9a-f]{40}) (\S+)$/.exec(line);
      if (!match) throw damaged('packed-refs', `line ${index + 1} is no ref`);
      refs.set(match[2] as string, match[1] as string);
    }
    if (text !== '' && !text.endsWith('\n')) throw damaged('packed-refs', 'its last line is cut off');
    return refs;
  }
}

/** packed-refs without one ref and the peeled line that may follow it. */
function withoutRef(text: string, ref: string): string {
  const kept: string[] = [];
  let dropping = false;
  for (const line of text.split('\n')) {
    dropping = line.startsWith('^') ? dropping : line.endsWith(` ${ref}`);
    if (!dropping) kept.push(line);
  }
  return kept.join('\n');
}

function inodeOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : '';
}

function moved(pointer: string, expected: string | null, current: string | null): CtxError {
  return new CtxError(
    'busy',
    `${pointer} has moved meanwhile: it is ${current ?? 'absent'}, not ${expected ?? 'absent'}.`,
    {
      hint: 'Somebody else changed it, perhaps Git itself. Look with: ctx stage status, then run the command again.',
      data: { pointer, expected, current },
    },
  );
}

function held(path: string, root: string): CtxError {
  const name = path.slice(root.length + 1);
  return new CtxError('busy', `${name} is held by another process, probably Git.`, {
    hint: `Run the command again. If no Git is running on the store, remove ${name} in it.`,
  });
}
