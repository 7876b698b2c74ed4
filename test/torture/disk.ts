/** A model of a disk: which bytes and names are surely on it, and which only in memory, after each logged call. */
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A call as the preload logs it. */
export interface Call {
  call: string;
  path?: string;
  to?: string;
  handle?: number;
  flags?: string;
  data?: string;
  position?: number | null;
  /** Paths that another process has taken away, and what it has made: contents, and null for folders. */
  gone?: string[];
  made?: [path: string, data: string | null][];
}

/** A file: its bytes as processes see them, and as the disk surely has them; null before the first fsync. */
interface FileNode {
  kind: 'file';
  now: Buffer;
  synced: Buffer | null;
}

/** A folder: its names as processes see them, and as the disk surely has them. */
interface FolderNode {
  kind: 'folder';
  now: Map<string, Node>;
  synced: Map<string, Node>;
}

type Node = FileNode | FolderNode;

/** Checks if the newest names of a folder survive a power cut. */
export type Survival = (folder: string) => boolean;

/** Contents of a disk: folders as null, files with their bytes; `file` is the same for the names of one file. */
export type Survivors = Map<string, { file: object; content: Buffer } | null>;

const newFolder = (): FolderNode => ({ kind: 'folder', now: new Map(), synced: new Map() });

export class Disk {
  readonly #root: string;
  #top: FolderNode;
  readonly #open = new Map<number, { node: Node; at: number; appends: boolean }>();

  /** A disk that surely has all of a folder as it stands; an absent one is empty. */
  constructor(root: string) {
    this.#root = root;
    this.#top = newFolder();
    this.#load(this.#top, root);
  }

  #load(folder: FolderNode, path: string): void {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isSocket()) continue;
      const here = join(path, entry.name);
      const node: Node = entry.isDirectory()
        ? newFolder()
        : { kind: 'file', now: readFileSync(here), synced: readFileSync(here) };
      if (node.kind === 'folder') this.#load(node, here);
      folder.now.set(entry.name, node);
      folder.synced.set(entry.name, node);
    }
  }

  /** Another process begins: it has no files open. */
  begin(): void {
    this.#open.clear();
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (node?.kind !== 'folder') throw new Error(`the model has no folder ${path}`);
    return node;
  }

  #find(path: string): Node | undefined {
    if (path === this.#root) return this.#top;
    const parent = this.#find(dirname(path));
    return parent?.kind === 'folder' ? parent.now.get(basename(path)) : undefined;
  }

  /** Does one call. */
  apply(call: Call): void {
    const { path = '', to = '', handle = -1 } = call;
    if (call.call === 'open') this.#openFile(path, handle, call.flags ?? 'r');
    else if (call.call === 'write') this.#write(handle, Buffer.from(call.data ?? '', 'base64'), call.position ?? null);
    else if (call.call === 'fsync') sync(this.#open.get(handle)?.node);
    else if (call.call === 'close') this.#open.delete(handle);
    else if (call.call === 'mkdir') this.#folder(dirname(path)).now.set(basename(path), newFolder());
    else if (call.call === 'unlink' || call.call === 'rmdir' || call.call === 'rm')
      this.#folder(dirname(path)).now.delete(basename(path));
    else if (call.call === 'rename' || call.call === 'link') {
      const node = this.#find(path);
      if (!node) throw new Error(`the model has no ${path}`);
      this.#folder(dirname(to)).now.set(basename(to), node);
      if (call.call === 'rename') this.#folder(dirname(path)).now.delete(basename(path));
    } else if (call.call === 'other') this.#beOther(call);
    else if (!['chmod', 'utimes'].includes(call.call)) throw new Error(`the model does not know ${call.call}`);
  }

  /** Puts the deeds of another process on the disk, the names too: Git is configured to wait for it with all that it writes. */
  #beOther({ gone = [], made = [] }: Call): void {
    for (const path of gone) {
      const folder = this.#folder(dirname(path));
      for (const names of [folder.now, folder.synced]) names.delete(basename(path));
    }
    for (const [path, data] of made) {
      const folder = this.#folder(dirname(path));
      const now = Buffer.from(data ?? '', 'base64');
      const node: Node = data === null ? newFolder() : { kind: 'file', now, synced: now };
      for (const names of [folder.now, folder.synced]) names.set(basename(path), node);
    }
  }

  #openFile(path: string, handle: number, flags: string): void {
    let node = this.#find(path);
    if (!node) {
      if (flags === 'r') return;
      node = { kind: 'file', now: Buffer.alloc(0), synced: null };
      this.#folder(dirname(path)).now.set(basename(path), node);
    }
    if (flags.includes('w') && node.kind === 'file') node.now = Buffer.alloc(0);
    this.#open.set(handle, { node, at: 0, appends: flags.includes('a') });
  }

  #write(handle: number, data: Buffer, position: number | null): void {
    const file = this.#open.get(handle);
    if (file?.node.kind !== 'file') throw new Error(`the model has no open file ${handle}`);
    const at = file.appends ? file.node.now.length : (position ?? file.at);
    const grown = Buffer.alloc(Math.max(file.node.now.length, at + data.length));
    file.node.now.copy(grown);
    data.copy(grown, at);
    file.node.now = grown;
    if (position === null) file.at = at + data.length;
  }

  /** Returns the contents of the disk after the power came back: paths with their bytes, folders with null. */
  survivors(survival: Survival, everyByte = false): Survivors {
    const found: Survivors = new Map();
    const walk = (folder: FolderNode, path: string): void => {
      for (const [name, node] of survival(path) ? folder.now : folder.synced) {
        const here = path === '' ? name : `${path}/${name}`;
        if (node.kind === 'file')
          found.set(here, { file: node, content: everyByte ? node.now : (node.synced ?? Buffer.alloc(0)) });
        else {
          found.set(here, null);
          walk(node, here);
        }
      }
    };
    walk(this.#top, '');
    return found;
  }
}

function sync(node: Node | undefined): void {
  if (node?.kind === 'file') node.synced = Buffer.from(node.now);
  else if (node) node.synced = new Map(node.now);
}

/** Writes survivors into a folder; a file of several names is one file with several names there too. */
export function materialise(survivors: Survivors, folder: string): void {
  const written = new Map<object, string>();
  mkdirSync(folder, { recursive: true });
  for (const [path, survivor] of survivors) {
    const here = join(folder, path);
    const twin = survivor && written.get(survivor.file);
    if (!survivor) mkdirSync(here, { recursive: true, mode: 0o700 });
    else if (twin) linkSync(twin, here);
    else {
      writeFileSync(here, survivor.content, { mode: 0o600 });
      written.set(survivor.file, here);
    }
  }
}
