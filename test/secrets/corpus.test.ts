// Tests the rules with a corpus of our own: texts that they find, and texts that they leave alone; the figures are in docs/secrets.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { redactionOptions } from '../../src/app/redaction/redact.ts';
import { redactedBytes } from '../../src/secrets/bytes.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { MARKER_START } from '../../src/secrets/marker.ts';
import { CODED_RULES, RULES } from '../../src/secrets/matcher.ts';
import { redactValue } from '../../src/secrets/redact.ts';
import { RULE_NAMES } from '../../src/secrets/rule-names.ts';
import { CARRIERS, Chance, SAMPLED_RULES, type Sample, sampleOf, samplesOf } from '../support/secrets-corpus.ts';
import { LOOKALIKE_KINDS, lookalikeOf } from '../support/secrets-lookalikes.ts';
import { renderSecrets, type Score } from '../support/secrets-page.ts';

const PAGE = fileURLToPath(new URL('../../docs/secrets.md', import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL('../../../shared/transcripts', import.meta.url));

/** By rule or kind, then by carrier. */
const found = new Map<string, Score>();
const spared = new Map<string, Score>();
const byCarrier = new Map<string, Score>();
/** Rules of which beginnings are missed in a part that grows. */
const growingMisses = new Map<string, Score>();
/** By how a part comes. */
const growing = new Map<string, Score>();
const misnamed: string[] = [];
const ragged: string[] = [];

function count(scores: Map<string, Score>, name: string, right: boolean): void {
  const { right: before, all } = scores.get(name) ?? { right: 0, all: 0 };
  scores.set(name, { right: before + (right ? 1 : 0), all: all + 1 });
}

const shareOf = (scores: Iterable<Score>): number => {
  const all = [...scores];
  return all.reduce((sum, { right }) => sum + right, 0) / all.reduce((sum, score) => sum + score.all, 0);
};

/** Split anywhere, among other text: what comes out must hold a marker and no secret. */
function isRedactedInPieces(sample: Sample, chance: Chance): boolean {
  const bytes = Buffer.from(`${'some text before\n'.repeat(1 + chance.below(20))}${sample.text}\nafter it\n`);
  const stream = redactedBytes(undefined, () => '00c0ffee');
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + chance.below(40);
    parts.push(stream.push(bytes.subarray(at, at + size)));
    at += size;
  }
  const text = Buffer.concat([...parts, stream.end()]).toString();
  return text.includes(MARKER_START) && !text.includes(sample.secret);
}

const OPTIONS = redactionOptions(null);
/** Redacts a part whose text is such. */
function keptOf(text: string): string {
  const part = { kind: 'part', message_id: 'm', part_id: 'p', seq: 1, part: { type: 'text', text } };
  return redactValue(part, OPTIONS, () => '00c0ffee').value.part.text;
}

/** Measures the part of a secret's beginning that is in a text. */
function clearIn(text: string, secret: string): number {
  let [least, most] = [0, secret.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (text.includes(secret.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** So much of a secret, its sign counted in, helps nobody: at most half of it, and 24 characters. */
const isHarmless = (clear: number, secret: string): boolean => clear <= Math.min(24, secret.length / 2);

/** Each record of the part holds all that there is so far. */
function isKeptOutOfWhole(sample: Sample, chance: Chance): boolean {
  const start = sample.text.indexOf(sample.secret);
  const cuts = [1, 2, 3, 4].map((back) => sample.secret.length - back);
  while (cuts.length < 24) cuts.push(1 + chance.below(sample.secret.length));
  return cuts.every((cut) => {
    const text = keptOf(`Look:\n${sample.text.slice(0, start + cut)}`);
    return isHarmless(clearIn(text, sample.secret.slice(0, cut)), sample.secret);
  });
}

/** Each record of the part holds only what is new. */
function isKeptOutOfPieces(sample: Sample, chance: Chance): boolean {
  let kept = '';
  for (let at = 0; at < sample.text.length; ) {
    const size = 1 + chance.below(12);
    kept += keptOf(sample.text.slice(at, at + size));
    at += size;
  }
  const windows = Math.min(25, Math.floor(sample.secret.length / 2) + 1);
  for (let at = 0; at + windows <= sample.secret.length; at++) {
    if (kept.includes(sample.secret.slice(at, at + windows))) return false;
  }
  return true;
}

/** A rule that is new changes no figure of another: what is drawn for each depends on its name alone. */
const seedOf = (name: string): number =>
  [...name].reduce((seed, letter) => (Math.imul(seed, 31) + letter.charCodeAt(0)) | 0, 20_261_129);

/** Longest time for all of it on a machine that has other work, in milliseconds. */
const LONGEST = 240_000;

beforeAll(() => {
  for (const rule of SAMPLED_RULES) {
    const drawn = new Chance(seedOf(rule));
    const chance = new Chance(seedOf(`${rule}, cut`));
    for (let index = 0; index < samplesOf(rule); index++) {
      const sample = sampleOf(rule, index, drawn);
      const inPieces = isRedactedInPieces(sample, chance);
      count(found, rule, inPieces);
      count(byCarrier, 'in a stream of bytes', inPieces);
      if (index < 25) {
        count(growing, 'each holds all so far', isKeptOutOfWhole(sample, chance));
        count(growing, 'each holds what is new', isKeptOutOfPieces(sample, chance));
        if (!isKeptOutOfWhole(sample, chance)) count(growingMisses, rule, false);
      }
      for (const [carrier, carry] of Object.entries(CARRIERS)) {
        const carried = carry(sample, chance);
        if (!carried) continue;
        const start = carried.text.indexOf(carried.secret);
        const end = start + carried.secret.length;
        const finding = findSecrets(carried.text).find((one) => one.start <= start && one.end >= end);
        count(found, rule, finding !== undefined);
        count(byCarrier, carrier, finding !== undefined);
        if (finding && finding.rule !== rule) misnamed.push(`${rule} ${carrier}: ${finding.rule}`);
        if (finding && (finding.start < start || finding.end > end)) ragged.push(`${rule} ${carrier}`);
      }
    }
  }
  // As many texts that are none.
  const samples = SAMPLED_RULES.reduce((sum, rule) => sum + samplesOf(rule), 0);
  const each = Math.ceil((1.3 * samples) / LOOKALIKE_KINDS.length);
  for (const kind of LOOKALIKE_KINDS) {
    const chance = new Chance(seedOf(kind));
    for (let index = 0; index < each; index++) {
      const text = lookalikeOf(kind, index, chance);
      for (const carry of Object.values(CARRIERS)) {
        const carried = carry({ rule: '', text, secret: text }, chance);
        if (carried) count(spared, kind, findSecrets(carried.text).length === 0);
      }
    }
  }
}, LONGEST);

test('the names of rules are those of the rules', () => {
  const names = [...RULES.map(({ name }) => name), ...Object.keys(CODED_RULES)];
  expect([...RULE_NAMES].sort()).toEqual(names.sort());
});

describe('the corpus', () => {
  test('has samples of every rule but the environment, which has tests of its own', () => {
    expect(RULE_NAMES.filter((name) => !SAMPLED_RULES.includes(name))).toEqual(['environment']);
    expect(SAMPLED_RULES.filter((name) => !RULE_NAMES.some((one) => one === name))).toEqual([]);
    expect(SAMPLED_RULES.length).toBeGreaterThanOrEqual(45);
    const size = (scores: Map<string, Score>): number => [...scores.values()].reduce((sum, { all }) => sum + all, 0);
    expect(size(spared)).toBeGreaterThanOrEqual(size(found));
  });

  test('recall is at least 0.98, overall and of every rule', () => {
    expect(shareOf(found.values())).toBeGreaterThanOrEqual(0.98);
    expect([...found].filter(([, score]) => shareOf([score]) < 0.98)).toEqual([]);
  });

  test('precision is at least 0.98, and every kind of look-alike is spared as often', () => {
    const hits = [...found.values()].reduce((sum, { right }) => sum + right, 0);
    const wrong = [...spared.values()].reduce((sum, { right, all }) => sum + all - right, 0);
    expect(hits / (hits + wrong)).toBeGreaterThanOrEqual(0.98);
    expect([...spared].filter(([, score]) => shareOf([score]) < 0.98)).toEqual([]);
  });

  test('of secrets that grow into the text of a part hardly any shows, but of those that are known by what comes after', () => {
    expect(shareOf([growing.get('each holds all so far') ?? { right: 0, all: 1 }])).toBeGreaterThanOrEqual(0.98);
    const often = [...growingMisses].filter(([, { all }]) => all > 4).map(([rule]) => rule);
    const late = RULES.filter(({ behind, late }) => behind || late).map(({ name }) => name);
    expect(often.length).toBeGreaterThan(0);
    expect(late).toEqual(expect.arrayContaining(often));
  });

  test('a finding has the name of its rule and ends where the secret does', () => {
    const all = [...found.values()].reduce((sum, { all }) => sum + all, 0);
    expect(misnamed.length, misnamed.slice(0, 5).join('\n')).toBeLessThan(0.02 * all);
    expect(ragged.length, ragged.slice(0, 5).join('\n')).toBeLessThan(0.02 * all);
  });

  test('docs/secrets.md has the rules and the figures', () => {
    const page = renderSecrets(readFileSync(PAGE, 'utf8'), { found, spared, byCarrier, growing });
    if (process.env['UPDATE'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});

describe('real sessions, in which there are no secrets any more', () => {
  const files = ((): string[] => {
    try {
      return readdirSync(TRANSCRIPTS, { recursive: true, encoding: 'utf8' }).filter((name) => /\.jsonl?$/.test(name));
    } catch {
      return [];
    }
  })();

  test.skipIf(files.length === 0)(
    'less than one false alarm a megabyte, raw and decoded (skipped without real transcripts)',
    () => {
      const alarms: string[] = [];
      let bytes = 0;
      for (const file of files) {
        const text = readFileSync(`${TRANSCRIPTS}/${file}`, 'utf8');
        bytes += Buffer.byteLength(text);
        for (const { rule, start, end } of findSecrets(text)) alarms.push(`${rule} ${file}: ${text.slice(start, end)}`);
        for (const document of file.endsWith('l') ? text.split('\n') : [text]) {
          let value: unknown;
          try {
            value = JSON.parse(document);
          } catch {
            continue;
          }
          const { findings } = redactValue(value as never, undefined, () => '00c0ffee');
          for (const [rule, times] of Object.entries(findings)) {
            for (let time = 0; time < times; time++) alarms.push(`${rule} ${file} (decoded): ${document.slice(0, 80)}`);
          }
        }
      }
      for (const kind of new Set(alarms.map((alarm) => alarm.split(' ')[0]))) {
        const ones = alarms.filter((alarm) => alarm.startsWith(`${kind} `));
        console.info(`${kind}: ${ones.length}, such as ${ones[0]}`);
      }
      expect(alarms.length / (bytes / 1e6)).toBeLessThan(1);
    },
  );
});
