/** `ctx secrets scan`: finds secrets in the store, one of its commits, files or a stream, without printing any. */

import { lstatSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { count, noCounts } from '../core/counts.ts';
import { CtxError } from '../core/errors.ts';
import { strangeEntries } from '../git/guard.ts';
import { everyContent } from '../health/unreferenced.ts';
import { type Content, commitContents } from '../history/contents.ts';
import type { Repository } from '../history/store/repository.ts';
import { secretKeyIfThere } from '../history/store/secret-key.ts';
import { listFolder } from '../platform/files.ts';
import { fillRandom, hmacSha256 } from '../platform/hash.ts';
import { tidyAfter, withSmallHeap } from '../platform/memory.ts';
import { readPieces, readPlainPieces } from '../platform/pieces.ts';
import { markerFor, type Place, type RedactionOptions, redactText, searchText } from '../secrets/index.ts';
import { LABEL_LENGTH, labelText, redactionOptions } from './redaction/redact.ts';
import { checkRule } from './redaction/redaction-rule.ts';
import { resolveRevision } from './session/revision.ts';

/** Secrets of one rule that are equal, in one place. */
export interface SecretFinding {
  rule: string;
  /** The same for equal secrets; that of their marker, if the store has one. */
  label: string;
  count: number;
  /** The place of a finding: a path, `stdin`, or a place in the store. */
  where: string;
  commit: string | null;
  session: string | null;
  step: number | null;
  /** The record that it was found in, and the field of it. */
  record: string | null;
  field: string | null;
  /** The first line with it, from 1. */
  line: number;
}

export interface ScanResult {
  findings: SecretFinding[];
  /** Number of secrets, by rule. */
  counts: Record<string, number>;
  /** Number of contents that were searched. */
  scanned: number;
  /** Number of contents that were not looked through, since they are binary. */
  binary: number;
  /** Entries that are neither a file nor a folder in the store: nothing of it is read. */
  strange: StrangeEntry[];
}

/** Something in the store that ctx has not put there. */
export interface StrangeEntry {
  /** Its path in the store's folder. */
  where: string;
  /** `a link`, `a device`, … */
  what: string;
}

export interface ScanOptions {
  /** Folder in which paths start. */
  directory: string;
  /** Only these rules; all if empty. */
  rules?: readonly string[] | undefined;
  /** Opens the input for `-`. */
  input: () => Iterable<Buffer>;
}

/** So much of a file is read at once, in bytes. */
const PIECE = 1024 * 1024;
/** A NUL among so many bytes at the beginning means that a content is binary, as Git has it. */
const PROBE = 8000;
/** Text that has NULs says so by its first character, the byte order mark. */
const WIDE = { fffe: 'utf-16le', feff: 'utf-16be' };

type Decoder = InstanceType<typeof TextDecoder>;

/** Returns the decoder for a content, by its first piece; null if it is binary. */
function decoderOf(beginning: Buffer): Decoder | null {
  const wide = WIDE[beginning.toString('hex', 0, 2) as keyof typeof WIDE];
  if (wide) return new TextDecoder(wide);
  return beginning.subarray(0, PROBE).includes(0) ? null : new TextDecoder();
}

/**
 * Searches for secrets.
 * @param repository the store; null outside of one, when only a path or a stream can be searched
 * @param target a revision, a path or `-` (default: the whole store)
 * @throws {CtxError} not_found; usage, if there is no such rule; not_a_repository; damaged, io
 */
export function scanSecrets(repository: Repository | null, target: string | undefined, given: ScanOptions): ScanResult {
  // Values in place of structure are reported as well: they were not redacted.
  const { placeOf: _placeOf, ...options } = redactionOptions(repository);
  for (const rule of given.rules ?? []) checkRule(rule, options);
  const scan = new Scan(options, keyOf(repository), new Set(given.rules));
  if (repository !== null && target === undefined)
    for (const [name, what] of strangeEntries(repository.layout)) scan.passOver(name, what);
  return withSmallHeap(() => {
    for (const content of contentsOf(repository, target, given)) scan.take(content);
    return scan.result();
  });
}

/** Returns the key of the labels: the store's, if it has one, else a random one. */
function keyOf(repository: Repository | null): Buffer {
  const key = repository && secretKeyIfThere(repository);
  if (key) return key;
  const own = Buffer.alloc(32);
  fillRandom(own);
  return own;
}

function contentsOf(
  repository: Repository | null,
  target: string | undefined,
  { directory, input }: ScanOptions,
): Iterable<Content> {
  if (target === '-') return [plain('stdin', input())];
  const path = target === undefined ? null : resolve(directory, target);
  if (path !== null && target !== undefined && (repository === null || /^[./~]|[\\/]/.test(target)) && isThere(path))
    return filesBelow(path, target);
  if (repository === null) {
    throw new CtxError('not_found', `There is no file ${target}.`, { hint: NAME_ONE });
  }
  if (target === undefined) return everyContent(repository);
  try {
    return commitContents(repository, resolveRevision(repository, target).oid);
  } catch (error) {
    if (path === null || !(error instanceof CtxError) || error.code !== 'not_found') throw error;
    if (isThere(path)) return filesBelow(path, target);
    throw LOOKS_LIKE_PATH.test(target) ? neitherFileNorRevision(target, error) : error;
  }
}

const NAME_ONE = 'Name a file or a folder, or - for stdin.';
/** Text that is meant to be a path, by its looks: a revision may have a dot in it, too. */
const LOOKS_LIKE_PATH = /^~|[./\\]/;

const neitherFileNorRevision = (target: string, cause: CtxError): CtxError =>
  new CtxError('not_found', `There is no file ${target}, and no such revision.`, {
    hint: 'Name a file or a folder, - for stdin, or a revision; see: ctx log',
    cause,
  });

const plain = (path: string, pieces: Iterable<Buffer>): Content => {
  return { commit: null, session: null, step: null, path, pieces };
};

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Every file at or below a path, named as it was given; links below it are not followed. */
function* filesBelow(path: string, name: string, isTop = true): Generator<Content> {
  // A named link is followed.
  const stat = (isTop ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    for (const entry of listFolder(path)) yield* filesBelow(join(path, entry), join(name, entry), false);
  } else if (!isTop) {
    if (stat?.isFile()) yield plain(name, readPlainPieces(path, PIECE));
  } else if (stat?.isFile() === false) {
    // A pipe may never be written to, and a device may never end.
    throw new CtxError('invalid_input', `${name} is neither a file nor a folder.`, { hint: NAME_ONE });
  } else yield plain(name, readPieces(path, PIECE));
}

class Scan {
  readonly #options: RedactionOptions;
  readonly #key: Buffer;
  readonly #rules: ReadonlySet<string>;
  readonly #findings: SecretFinding[] = [];
  readonly #strange: StrangeEntry[] = [];
  #scanned = 0;
  #binary = 0;

  constructor(options: RedactionOptions, key: Buffer, rules: ReadonlySet<string>) {
    this.#options = options;
    this.#key = key;
    this.#rules = rules;
  }

  passOver(name: string, what: string): void {
    this.#strange.push({ where: this.#hidden(name), what });
  }

  take(content: Content): void {
    const here = new Map<string, SecretFinding>();
    const search = searchText(this.#options, (rule, secret, place) => this.#note(here, content, rule, secret, place));
    let decoder: Decoder | null = null;
    for (const piece of content.pieces) {
      decoder ??= content.isText ? new TextDecoder() : decoderOf(piece);
      if (!decoder) {
        this.#binary += 1;
        return;
      }
      search.push(decoder.decode(piece, { stream: true }));
      // It was read, made text, and taken apart.
      tidyAfter(4 * piece.length);
    }
    this.#scanned += 1;
    search.push(decoder?.decode() ?? '');
    search.end();
    // JSON lines are searched separately: the findings are sorted by line again.
    for (const finding of [...here.values()].sort((one, other) => one.line - other.line)) this.#findings.push(finding);
  }

  #note(
    here: Map<string, SecretFinding>,
    { path, commit, session, step }: Content,
    rule: string,
    secret: string,
    { line, field, id }: Place,
  ): void {
    if (this.#rules.size > 0 && !this.#rules.has(rule)) return;
    // A name may hold a secret itself.
    const where = this.#hidden(path);
    const named = field === null ? null : this.#hidden(field.join('.'));
    const label = this.#label(secret, rule);
    const place = JSON.stringify([id, named, rule, label]);
    const known = here.get(place);
    if (known) known.count += 1;
    else {
      const record = id === null ? null : this.#hidden(id);
      const finding = { rule, label, count: 1, where, commit, session, step, record, field: named, line };
      here.set(place, finding);
    }
  }

  /** The label that a marker of the secret has. */
  #label(secret: string, rule: string): string {
    const marker = markerFor(rule, secret, (plainSecret) =>
      hmacSha256(this.#key, labelText(plainSecret)).slice(0, LABEL_LENGTH),
    );
    return marker.slice(-LABEL_LENGTH - 1, -1);
  }

  #hidden(text: string): string {
    return redactText(text, this.#options, (secret, rule) => this.#label(secret, rule)).text;
  }

  result(): ScanResult {
    const findings = this.#findings;
    const counts = noCounts();
    for (const { rule, count: more } of findings) count(counts, rule, more);
    return { findings, counts, scanned: this.#scanned, binary: this.#binary, strange: this.#strange };
  }
}
