/** The one door for text that comes from outside: secrets leave it before anything reaches the disk, and are counted. */
import { type Counts, count, noCounts } from '../../core/counts.ts';
import type { JsonValue } from '../../core/json.ts';
import { placeOf } from '../../core/session/places.ts';
import { ANYBODYS, type Place } from '../../core/structure.ts';
import { CHUNK_SIZE } from '../../git/objects/payload.ts';
import type { Repository } from '../../history/store/repository.ts';
import { keyedHash } from '../../history/store/secret-key.ts';
import { DEFAULT_SETTINGS } from '../../history/store/settings.ts';
import { RunningHash } from '../../platform/hash.ts';
import {
  grows,
  type Label,
  markerFor,
  piecesWithoutSelections,
  type RedactionOptions,
  redactedBytes,
  redactText,
  redactValue,
  sensitiveValues,
  withoutSecretFiles,
  withoutSelections,
} from '../../secrets/index.ts';
import { DEFAULT_REDACT } from '../../secrets/settings.ts';
import { type Door, doorTo } from './forgotten.ts';
import { openKeyOf, openKeyPieces } from './open-key.ts';

/** Hexadecimal digits of a label: enough to tell the secrets of a store apart. */
export const LABEL_LENGTH = 8;

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait' | 'settings'>;

/** Redacts what goes into one record, and counts it by rule. */
export interface Redaction {
  text(text: string): string;
  /** Every text in a JSON value, keys too; what is structure of ctx's own stays. */
  value<T>(value: T): T;
  /** A value whose texts it has redacted before: only what was forgotten meanwhile goes. */
  kept<T>(value: T): T;
  /** A text that comes in pieces; what comes out are pieces of CHUNK_SIZE bytes, the last one less. */
  pieces(pieces: Iterable<Buffer>): Iterable<Buffer>;
  /** A file's content, likewise. @throws {BinaryContent} where it is none of text, unless all contents are kept */
  content(pieces: Iterable<Buffer>, all: boolean): Iterable<Buffer>;
  /** Whether a content was forgotten as a whole and must not be kept; null where none ever was. */
  readonly isForgotten: ((pieces: Iterable<Buffer>, all: boolean) => boolean) | null;
  /** Whether anything is redacted at all. */
  readonly isOn: boolean;
  /** How often each rule has found something. */
  readonly counts: Counts;
}

/** Tells that a content is binary and so not kept. */
export class BinaryContent extends Error {}

/** Options of a store for a process; made once, as the engine behind them is. */
const known = new WeakMap<object, RedactionOptions>();

/** What the settings and the environment say of redaction; outside a store only the environment does. */
export function redactionOptions(store: Pick<Store, 'settings' | 'layout'> | null): RedactionOptions {
  const made = store && known.get(store.layout);
  if (made) return made;
  const settings = store?.settings ?? DEFAULT_SETTINGS;
  const { off, allow, allow_patterns, patterns } = settings.redact || DEFAULT_REDACT;
  const values = sensitiveValues(process.env);
  const options = { off, allow, allowPatterns: allow_patterns, own: patterns, values, placeOf, grows };
  if (store) known.set(store.layout, options);
  return options;
}

/**
 * Begins the redaction of one record of a store; what was forgotten does not pass it either.
 * @param door what was forgotten, for whoever makes many and looks afterwards whether there is more
 * @param found what was found in it before: the record tells of that, too
 * @throws {CtxError} damaged
 */
export function redactionFor(
  repository: Store,
  door: Door | null = doorTo(repository),
  found: Counts = noCounts(),
): Redaction {
  const redaction = secretsOf(repository, found);
  return door ? behind(door, redaction) : redaction;
}

/** A redaction with a door behind it: what was forgotten is known by what was kept of it, which was redacted. */
function behind(door: Door, redaction: Redaction): Redaction {
  const { isForgotten } = door;
  return {
    ...redaction,
    text: (text) => door.text(redaction.text(text)),
    value: (value) => door.value(redaction.value(value)),
    kept: (value) => door.value(value),
    pieces: (pieces) => inChunks(door.pieces(redaction.pieces(pieces))),
    content: (pieces, all) => inChunks(door.pieces(redaction.content(pieces, all))),
    isForgotten: isForgotten && ((pieces, all) => isForgotten(sha256Of(redaction.content(pieces, all)))),
  };
}

function sha256Of(pieces: Iterable<Buffer>): string {
  const hash = new RunningHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** What is hashed for the label of a secret: equal ones have the same, whatever rule has found them. */
export const labelText = (secret: string): string => `secret\0${secret}`;

function secretsOf(repository: Store, found: Counts): Redaction {
  if (repository.settings.redact === false) return NONE;
  const options = redactionOptions(repository);
  const label: Label = (secret, rule, isBegun) =>
    keyedHash(repository, isBegun ? rule : labelText(secret)).slice(0, LABEL_LENGTH);
  const { shown, shownText, shownPieces } = repository.settings.redact.content === 'all' ? ALL : WITHHOLDING;
  const counts = Object.assign(noCounts(), found);
  const add = (findings: Counts): void => {
    for (const [rule, more] of Object.entries(findings)) count(counts, rule, more);
  };
  function* stream(pieces: Iterable<Buffer>, isText: boolean, all: boolean): Generator<Buffer> {
    const bytes = redactedBytes(options, label, isText);
    for (const piece of pieces) {
      yield bytes.push(piece);
      if (bytes.binary && !all) throw new BinaryContent();
    }
    const rest = bytes.end();
    if (bytes.binary && !all) throw new BinaryContent();
    yield rest;
    add(bytes.findings);
  }
  const isKeyOff = options.off?.includes('private-key') === true;
  const withoutOpenKey = <T extends JsonValue>(value: T, place: Place): T =>
    isKeyOff
      ? value
      : openKeyOf(repository).without(value, place, (data) => {
          count(counts, 'private-key');
          return markerFor('private-key', data, label);
        });
  return {
    isOn: true,
    isForgotten: null,
    counts,
    text: (text) => {
      const redacted = redactText(withoutOpenKey(shownText(text), ANYBODYS), options, label);
      add(redacted.findings);
      return redacted.text;
    },
    value: <T>(value: T): T => {
      const told = shown(value as JsonValue);
      const redacted = redactValue(withoutOpenKey(told, placeOf(told)), options, label);
      add(redacted.findings);
      return redacted.value as T;
    },
    kept: (value) => value,
    pieces: (pieces) => inChunks(stream(openKeyPieces(shownPieces(pieces), withoutOpenKey), true, true)),
    content: (pieces, all) => inChunks(stream(pieces, false, all)),
  };
}

/** What a store takes in of what is told of files that are known to hold secrets. */
interface Shown {
  shown: (value: JsonValue) => JsonValue;
  shownText: (text: string) => string;
  shownPieces: (pieces: Iterable<Buffer>) => Iterable<Buffer>;
}
const WITHHOLDING: Shown = {
  shown: withoutSecretFiles,
  shownText: withoutSelections,
  shownPieces: piecesWithoutSelections,
};
const ALL: Shown = { shown: (value) => value, shownText: (text) => text, shownPieces: (pieces) => pieces };

const NONE: Redaction = {
  isOn: false,
  isForgotten: null,
  counts: {},
  text: (text) => text,
  value: (value) => value,
  kept: (value) => value,
  pieces: (pieces) => pieces,
  content: (pieces) => pieces,
};

/** The same bytes in pieces of CHUNK_SIZE, the last one less. */
function* inChunks(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < CHUNK_SIZE) continue;
    const all = Buffer.concat(held);
    const whole = all.length - (all.length % CHUNK_SIZE);
    for (let at = 0; at < whole; at += CHUNK_SIZE) yield all.subarray(at, at + CHUNK_SIZE);
    held = whole < all.length ? [all.subarray(whole)] : [];
    length = all.length - whole;
  }
  if (length > 0) yield Buffer.concat(held);
}
