/** Finds the secrets of a text: what every rule says of every place, and which of it counts where they overlap. */

import { type Searched, visitPlaces } from './batch-search.ts';
import { unquotedNumberAt } from './json-numbers.ts';
import { MARKER_START, markerEnd } from './marker.ts';
import type { Matcher } from './matcher.ts';
import { type Engine, engineOf, LEAST_PARTIAL_VALUE, type RedactionOptions, rememberCleanText } from './options.ts';
import { byPlace, resolveOverlaps } from './overlaps.ts';
import { isPassword } from './passwords.ts';
import { placesInReading } from './places-in-readings.ts';
import { areRandomLetters } from './random-letters.ts';
import { changesOften, isHarmless, isMixed, isOpaque, isPartialUuid, isUuid } from './randomness.ts';
import { type Reading, readingsOf } from './reading.ts';
import { type Finding, type Found, LONGEST_CONTEXT, LONGEST_MATCH, type Stretch } from './rule.ts';
import { trimToKeys } from './whole-keys.ts';
import { beginsAt, endsAt } from './word-boundaries.ts';

/**
 * The secrets of a text, in order, none overlapping another.
 * @param grows whether the text will continue: then what begins like a secret at its end counts too
 * @param searched texts that were searched for keywords, if it is one of them
 */
export function findSecrets(
  text: string,
  options?: RedactionOptions,
  grows = false,
  searched?: Searched<Matcher>,
): readonly Finding[] {
  const engine = engineOf(options);
  if (grows) return secretsIn(text, engine, true, searched);
  if (engine.cleanTexts.has(text)) return [];
  const known = engine.recent.get(text);
  if (known) return known;
  const found = secretsIn(text, engine, false, searched);
  engine.recent.put(text, found);
  return found;
}

function secretsIn(text: string, engine: Engine, grows: boolean, searched?: Searched<Matcher>): Finding[] {
  const candidates = candidatesOf(text, 0, 0, engine, searched);
  if (candidates.length === 0) rememberCleanText(text, engine);
  if (grows) candidates.push(...partialIn(text, engine, searched, lastEnd(candidates)));
  return resolveOverlaps(grows ? candidates.sort(byPlace) : candidates)
    .filter(({ allowed }) => allowed !== true)
    .map(findingOf);
}

/** Said one by one, as all that is made of each finding: V8 copies objects slowly, and a text may be full of findings. */
function findingOf({ rule, start, end, partial, meant }: Found): Finding {
  if (partial) return meant === undefined ? { rule, start, end, partial } : { rule, start, end, partial, meant };
  return meant === undefined ? { rule, start, end } : { rule, start, end, meant };
}

const lastEnd = (found: readonly Found[]): number => found.reduce((last, { end }) => Math.max(last, end), 0);

/**
 * Returns what may become a secret when the text continues, as written and as read.
 * @param past where the candidates end
 */
function partialIn(text: string, engine: Engine, searched: Searched<Matcher> | undefined, past: number): Found[] {
  const found = partialAsWritten(text, engine, searched, past);
  const readings = readingsOf(text, Math.max(0, text.length - LONGEST_CONTEXT));
  const read = readings.flatMap((reading) => partialAsWritten(reading.text, engine).map((one) => placed(one, reading)));
  return read.length === 0 ? found : [...found, ...read];
}

function partialAsWritten(text: string, engine: Engine, searched?: Searched<Matcher>, past = 0): Found[] {
  const found: Found[] = [];
  const keep = (one: Found): void => {
    if (!engine.isAllowed(text.slice(one.start))) found.push({ ...one, partial: true });
  };
  const tail = Math.max(0, text.length - LONGEST_CONTEXT);
  visit(text, tail, engine, searched, (matcher, at) => {
    const one = matcher.matchPartial(text, at);
    if (one) keep(one);
  });
  // Once what is found is a marker, the rest of its word is a word.
  if (!engine.off.has('secret')) for (const from of new Set([0, past])) findLastWord(text, from).forEach(keep);
  const end = text.length;
  for (const { way } of engine.values) {
    for (let length = Math.min(way.length - 1, end); length >= LEAST_PARTIAL_VALUE; length--) {
      if (!text.endsWith(way.slice(0, length))) continue;
      keep({ rule: 'environment', certainty: 'guess', start: end - length, end });
      break;
    }
  }
  return found;
}

/** Without what ends a word in text and in code. */
const LAST_WORD = /[^\s"'`<>()[\]{},;|\\]{9,200}$/;
const LONGEST_WORD = 200;
/** Half of the shortest key that only its end says. */
const LEAST_KEY = 17;
const LEAST_PASSWORD = 8;
/** Hashes as everybody writes them: SHA-1, SHA-256, SHA-512. One of MD5 may continue as a key of Mailchimp or New Relic. */
const KNOWN_HASH = /^(?:sha(?:1|256|384|512)-)?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

const isDrawnWord = (secret: string): boolean =>
  isPartialUuid(secret) ||
  (isPassword(secret) &&
    (isMixed(secret) || changesOften(secret) || areRandomLetters(secret.replace(/[^A-Za-z]/g, ''))));

/** A name or a user in front of it. */
const OWNER = /^(?:[\w.-]{1,32}[:=]){1,4}(?![/=]|$)/;

/**
 * The beginning of what looks like a key or, behind a user and a colon, like a password; none, or one.
 * @param from where the text begins in which that word is
 */
function findLastWord(text: string, from = 0): Found[] {
  const word = LAST_WORD.exec(text.slice(Math.max(from, text.length - LONGEST_WORD)))?.[0] ?? '';
  if (word.length < LEAST_PASSWORD) return [];
  const owner = OWNER.exec(word)?.[0] ?? '';
  const secret = word.slice(owner.length);
  // Most texts end in a short word, of which nothing has to be known.
  if (secret.length < LEAST_PASSWORD) return [];
  if (KNOWN_HASH.test(secret) || isUuid(secret) || isHarmless(secret)) return [];
  const isKey = secret.length >= LEAST_KEY && isOpaque(secret);
  const isOne = isKey || (owner.endsWith(':') && secret.length >= LEAST_PASSWORD && isDrawnWord(secret));
  return isOne ? [{ rule: 'secret', certainty: 'guess', start: text.length - secret.length, end: text.length }] : [];
}

/** Nothing shorter is found but by rules of the user's own: not even `a://b:c@d`, and values of the environment are longer. */
const SHORTEST = 8;

/**
 * Everything that a rule takes for a secret and that begins at `from` or later, in order: in the text as it is written, and as
 * it reads without escapes.
 * @param context where the text begins that may be looked at for it
 */
export function candidatesOf(
  text: string,
  context: number,
  from: number,
  engine: Engine,
  searched?: Searched<Matcher>,
): Found[] {
  const found = candidatesAsWritten(text, context, from, engine, searched);
  const read = readingsOf(text, context).flatMap((reading) =>
    placedAnew(
      candidatesAsWritten(reading.text, 0, 0, engine, placesInReading(searched, text, reading)),
      reading,
      found,
    )
      // A longer text could not be distinguished from its beginning where a text is cut.
      .filter(({ start, end }) => start >= from && end - start <= LONGEST_MATCH)
      .filter(({ start, end }) => !reading.ends.test(text.slice(start, end)))
      .map((one) => (engine.isAllowed(text.slice(one.start, one.end)) ? { ...one, allowed: true } : one)),
  );
  return read.length === 0 ? found : withAllowed([...found, ...read]).sort(byPlace);
}

/** Returns the candidates, each of which is allowed if it is allowed in one of its readings. */
function withAllowed(found: Found[]): Found[] {
  const placeOf = ({ start, end }: Found): string => `${start}-${end}`;
  const allowed = new Set(found.filter((one) => one.allowed).map(placeOf));
  return allowed.size === 0 ? found : found.map((one) => (allowed.has(placeOf(one)) ? { ...one, allowed: true } : one));
}

/**
 * Returns the candidates of a reading at their places in the text, without those that are known and have no escape, which are
 * most of them.
 */
function placedAnew(read: readonly Found[], reading: Reading, known: readonly Found[]): Found[] {
  const anew: Found[] = [];
  let near = 0;
  for (const one of read) {
    const start = reading.placeOf(one.start);
    const length = one.end - one.start;
    while ((known[near]?.start ?? Number.POSITIVE_INFINITY) < start) near++;
    const same = known[near];
    const isKnown =
      same?.start === start &&
      same.end === start + length &&
      same.rule === one.rule &&
      same.certainty === one.certainty &&
      one.meant === undefined &&
      reading.placeOf(one.end) === same.end;
    if (!isKnown) anew.push(placed(one, reading));
  }
  return anew;
}

/** Returns a candidate of a reading at its place in the text. */
function placed(found: Found, { text, placeOf }: Reading): Found {
  const { start, end, meant = text.slice(start, end) } = found;
  const { rule, certainty, allowed, linePrefix } = found;
  const place = { rule, certainty, start: placeOf(start), end: placeOf(end), meant };
  if (allowed === undefined && linePrefix === undefined) return place;
  return { ...found, ...place };
}

function candidatesAsWritten(
  text: string,
  context: number,
  from: number,
  engine: Engine,
  searched?: Searched<Matcher>,
): Found[] {
  const found: Found[] = [];
  if (text.length - context < SHORTEST && engine.own.length === 0) return found;
  const keep = (one: Found | null): void => {
    if (!one) return;
    if (engine.isAllowed(text.slice(one.start, one.end))) found.push({ ...one, allowed: true });
    else found.push(wholeNumber(text, one));
  };
  const markers = markersOf(text, context);
  let near = 0;
  visit(text, context, engine, searched, (matcher, at) => {
    // The words of a marker name nothing. Most texts have none.
    if (markers.length > 0) {
      near = markerNear(markers, near, at);
      if (at >= (markers[near]?.start ?? Number.POSITIVE_INFINITY)) return;
    }
    keep(matcher.match(text, at));
  });
  for (const { way, value } of engine.values) {
    for (let at = text.indexOf(way, from); at >= 0; at = text.indexOf(way, at + 1)) {
      if (!standsAlone(text, at, way)) continue;
      keep({ rule: 'environment', certainty: 'context', start: at, end: at + way.length, meant: value });
    }
  }
  for (const { name, pattern } of engine.own) {
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      if (match[0] === '') pattern.lastIndex++;
      else keep({ rule: name, certainty: 'exact', ...wholeSigns(text, match.index, pattern.lastIndex) });
    }
  }
  if (found.length === 0) return found;
  // A value may begin before the place, and the key in it behind that.
  const whole = trimToKeys(text, found.sort(byPlace)).filter(({ start }) => start >= from);
  return withoutMarkers(whole.sort(byPlace), markers);
}

function visit(
  text: string,
  from: number,
  { prefilter }: Engine,
  searched: Searched<Matcher> | undefined,
  each: (matcher: Matcher, at: number) => void,
): void {
  if (searched) visitPlaces(searched, text, from, each);
  else prefilter(text, from, each);
}

/** A piece of a number cannot be replaced in JSON, but all of it can. */
function wholeNumber(text: string, found: Found): Found {
  const number = unquotedNumberAt(text, found.start, found.end);
  return number ? { ...found, start: number.start, end: number.end } : found;
}

/** A value of letters alone may be part of a longer word, which it then is not. */
const standsAlone = (text: string, at: number, value: string): boolean =>
  !/^[A-Za-z]+$/.test(value) || (beginsAt(text, at, 'word') && endsAt(text, at + value.length, 'word'));

/** A stretch with all of the signs beyond the first plane that it begins or ends in the middle of: half of one is none. */
const wholeSigns = (text: string, start: number, end: number): Stretch => ({
  start: isInSign(text, start) ? start - 1 : start,
  end: isInSign(text, end) ? end + 1 : end,
});
const isInSign = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** Returns where the markers of an earlier redaction are. */
function markersOf(text: string, context: number): Stretch[] {
  const markers: Stretch[] = [];
  for (let at = text.indexOf(MARKER_START, context); at >= 0; at = text.indexOf(MARKER_START, at + 1)) {
    const end = markerEnd(text, at);
    if (end >= 0) markers.push({ start: at, end });
  }
  return markers;
}

/** The first marker that ends behind a place; places come nearly in order, so it is never far from the one of the last. */
function markerNear(markers: readonly Stretch[], last: number, at: number): number {
  let near = last;
  while (near > 0 && at < (markers[near - 1]?.end ?? 0)) near--;
  while ((markers[near]?.end ?? Number.POSITIVE_INFINITY) <= at) near++;
  return near;
}

/** Removes the candidates that touch a marker: each was part of a redacted text, or is a piece of the marker. */
function withoutMarkers(found: Found[], markers: readonly Stretch[]): Found[] {
  if (markers.length === 0) return found;
  let index = 0;
  return found.filter(({ start, end }) => {
    while ((markers[index]?.end ?? Number.POSITIVE_INFINITY) < start) index++;
    return end < (markers[index]?.start ?? Number.POSITIVE_INFINITY);
  });
}
