// The language of a search.

import { stemmer } from 'stemmer';
import { describe, expect, test } from 'vitest';
import { clauseOf, parseQuery, rankedTerms } from '../../src/catalog/find/query.ts';
import { nearestTerm } from '../../src/catalog/find/spelling.ts';
import { anyText, fc } from '../support/property.ts';

const termsOf = (clauses: readonly (readonly { term: string }[])[]): string[] =>
  clauses.map((clause) => clause.map(({ term }) => term).join(' '));

describe('a query', () => {
  test.each<[string, { words?: string[]; required?: string[]; excluded?: string[]; filters?: object }]>([
    ['', {}],
    ['retry  Backoff', { words: ['retry', 'Backoff'] }],
    ['retry retry', { words: ['retry'] }],
    ['"connection reset"', { words: ['connection', 'reset'], required: ['connect reset'] }],
    ['"unclosed phrase', { words: ['unclosed', 'phrase'], required: ['unclos phrase'] }],
    ['+must may -not', { words: ['must', 'may'], required: ['must'], excluded: ['not'] }],
    ['-"not this" that', { words: ['that'], excluded: ['not thi'] }],
    ['git --only -c -not', { words: ['git', 'only', 'c'], excluded: ['not'] }],
    ['agent:codex retry', { words: ['retry'], filters: { agent: ['codex'] } }],
    ['AGENT:codex agent:pi', { filters: { agent: ['codex', 'pi'] } }],
    ['path:"a b.ts" in:abcd role:user', { filters: { path: ['a b.ts'], in: ['abcd'], role: ['user'] } }],
    ['state:open ending:normal type:bug', { filters: { state: ['open'], ending: ['normal'], type: ['bug'] } }],
    ['since:"2 weeks ago" until:today', { filters: { since: '2 weeks ago', until: 'today' } }],
    ['colour:red', { words: ['colour:red'] }],
    ['http://example.org/x', { words: ['http', 'example.org/x'] }],
    ['agent: x', { words: ['agent', 'x'] }],
    ['- + -- ""', {}],
  ])('%j', (text, { words = [], required = [], excluded = [], filters = {} }) => {
    const query = parseQuery(text);
    expect([query.words, termsOf(query.required), termsOf(query.excluded), query.filters]).toEqual([
      words,
      required,
      excluded,
      filters,
    ]);
  });

  test('of any text is one, without empty words and clauses', () => {
    fc.assert(
      fc.property(anyText(60), (text) => {
        const query = parseQuery(text);
        for (const word of query.words) expect(word).not.toBe('');
        for (const clause of [...query.required, ...query.excluded]) expect(clause.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('terms by which a word ranks', () => {
  test.each<[string, Record<string, number>]>([
    ['tests', { test: 1 }],
    ['fooBar', { foo: 0.71, bar: 0.71, foobar: 1 }],
    ['検索', { 検索: 1 }],
    ['検', { 検: 1 }],
  ])('%s', (word, terms) => {
    const found = rankedTerms(word).map(({ term, share }) => [term, Math.round(share * 100) / 100]);
    expect(Object.fromEntries(found)).toEqual(terms);
  });
});

test('a phrase of Chinese ends in the middle of a longer text', () => {
  expect(clauseOf('検索').map(({ term }) => term)).toEqual(['検索']);
  expect(clauseOf('検索機').map(({ term, offset }) => `${offset}:${term}`)).toEqual(['0:検索', '1:索機']);
});

describe('the word that was meant', () => {
  const vocabulary = [
    { term: 'redact', documents: 9 },
    { term: 'react', documents: 2 },
    { term: 'refactor', documents: 40 },
    { term: 'retri', documents: 5 },
    { term: 'retir', documents: 1 },
    { term: 'go', documents: 50 },
    { term: 'configur', documents: 3 },
    { term: 'config', documents: 30 },
    { term: 'comput', documents: 8 },
  ];
  test.each<[string, string | null]>([
    ['redcat', 'redact'],
    ['reedact', 'redact'],
    ['retr', 'retri'],
    ['redactt', 'redact'],
    ['redacton', 'redact'],
    ['redactoin', 'redact'],
    ['configuraton', 'configur'],
    ['confgiuration', 'configur'],
    ['conifg', 'config'],
    ['computatoin', 'comput'],
    ['computerised', null],
    ['gp', null],
    ['elephant', null],
    ['sha256', null],
  ])('%s: %s', (word, meant) => expect(nearestTerm(stemmer(word), vocabulary, word)).toBe(meant));
});
