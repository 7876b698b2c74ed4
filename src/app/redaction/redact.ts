/** Redacts every text that comes from outside before it reaches the disk, and counts the secrets. */
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
import { type ForgottenFilter, forgottenFilterOf } from './forgotten-filter.ts';
import { openKeyOf, piecesWithoutOpenKey } from './open-key.ts';

/** Hexadecimal digits of a label: enough to distinguish the secrets of a store. */
export const LABEL_LENGTH = 8;

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait' | 'settings'>;

/** Redacts the content of one record, and counts the findings by rule. */
export interface Redaction {
  text(text: string): string;
  /** Redacts every text in a JSON value, keys too; the structure that is ctx's own stays. */
  value<T>(value: T): T;
  /** Filters a value whose texts were redacted before: only what was forgotten since is replaced. */
  kept<T>(value: T): T;
  /** Redacts a streamed text; yields pieces of CHUNK_SIZE bytes, the last one shorter. */
  pieces(pieces: Iterable<Buffer>): Iterable<Buffer>;
  /** Redacts the content of a file likewise. @throws {BinaryContent} if it is not text, unless all contents are kept */
  content(pieces: Iterable<Buffer>, all: boolean): Iterable<Buffer>;
  /** Returns whether a content was forgotten as a whole and must not be kept; null if none ever was. */
  readonly isForgotten: ((pieces: Iterable<Buffer>, all: boolean) => boolean) | null;
  /** True if anything is redacted at all. */
  readonly isOn: boolean;
  /** Number of times that each rule has matched. */
  readonly counts: Counts;
}

/** Thrown for a content that is binary and therefore not kept. */
export class BinaryContent extends Error {}

/** The options of each store; made once per process, since the engine behind them is. */
const known = new WeakMap<object, RedactionOptions>();

/**
 * Returns the options of redaction from the settings and the environment; without a store, from the environment alone.
 */
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
 * Begins the redaction of one record of a store, which also replaces what was forgotten.
 * @param forgotten the filter, for a caller that makes many redactions and checks afterwards whether more was forgotten
 * @param found findings made before, which the record counts too
 * @throws {CtxError} damaged
 */
export function redactionFor(
  repository: Store,
  forgotten: ForgottenFilter | null = forgottenFilterOf(repository),
  found: Counts = noCounts(),
): Redaction {
  const redaction = secretsOf(repository, found);
  return forgotten ? withForgottenFilter(forgotten, redaction) : redaction;
}

/** Adds a filter behind a redaction: forgotten content was recorded in its redacted form. */
function withForgottenFilter(forgotten: ForgottenFilter, redaction: Redaction): Redaction {
  const { isForgotten } = forgotten;
  return {
    ...redaction,
    text: (text) => forgotten.text(redaction.text(text)),
    value: (value) => forgotten.value(redaction.value(value)),
    kept: (value) => forgotten.value(value),
    pieces: (pieces) => inChunks(forgotten.pieces(redaction.pieces(pieces))),
    content: (pieces, all) => inChunks(forgotten.pieces(redaction.content(pieces, all))),
    isForgotten: isForgotten && ((pieces, all) => isForgotten(sha256Of(redaction.content(pieces, all)))),
  };
}

function sha256Of(pieces: Iterable<Buffer>): string {
  const hash = new RunningHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Returns what is hashed for the label of a secret: equal secrets have equal labels, whichever rule matched. */
export const labelText = (secret: string): string => `secret\0${secret}`;

/** Returns what makes the labels of a store. */
export const labelOf =
  (repository: Store): Label =>
  (secret, rule, isBegun) =>
    keyedHash(repository, isBegun ? rule : labelText(secret)).slice(0, LABEL_LENGTH);

function secretsOf(repository: Store, found: Counts): Redaction {
  if (repository.settings.redact === false) return NONE;
  const options = redactionOptions(repository);
  const label = labelOf(repository);
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
      const visible = shown(value as JsonValue);
      const redacted = redactValue(withoutOpenKey(visible, placeOf(visible)), options, label);
      add(redacted.findings);
      return redacted.value as T;
    },
    kept: (value) => value,
    pieces: (pieces) => inChunks(stream(piecesWithoutOpenKey(shownPieces(pieces), withoutOpenKey), true, true)),
    content: (pieces, all) => inChunks(stream(pieces, false, all)),
  };
}

/** The texts of a file that may hold secrets, as they may be shown. */
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

/** Yields the same bytes in pieces of CHUNK_SIZE, the last one shorter. */
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
