// The key of a store: made once, the same for everybody, the user's alone, and never an empty one.
import { createHmac } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyedHash, secretKey } from '../../src/history/store/secret-key.ts';
import { makeProject } from '../support/store.ts';

test('a key is made at the first call and is the same for everybody after', () => {
  const repository = makeProject().repository;
  const key = secretKey(repository);
  expect(key).toHaveLength(32);
  expect(readFileSync(repository.layout.key, 'utf8')).toBe(`${key.toString('hex')}\n`);
  expect(statSync(repository.layout.key).mode & 0o077).toBe(0);
  expect(secretKey({ ...repository, layout: { ...repository.layout } })).toEqual(key);
  expect(keyedHash(repository, 'a')).toBe(createHmac('sha256', key).update('a').digest('hex'));
});

test('two stores have two keys', () => {
  expect(secretKey(makeProject().repository)).not.toEqual(secretKey(makeProject().repository));
});

test('a torn key is named, and not replaced', () => {
  const repository = makeProject().repository;
  writeFileSync(repository.layout.key, 'abc');
  expect(() => secretKey(repository)).toThrow(expect.objectContaining({ code: 'damaged' }));
  expect(readFileSync(repository.layout.key, 'utf8')).toBe('abc');
});
