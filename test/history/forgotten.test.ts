// The list of what was forgotten: of no use without its key, and read to its last field.
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lookAtStore } from '../../src/app/doctor/store.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sha1 } from '../../src/git/objects/loose.ts';
import { encodeForgotten, readForgotten } from '../../src/history/store/forgotten.ts';
import { below } from '../../src/platform/below.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const TEXT = 'the word that must go';

function forgotten(): Project {
  const project = makeProject();
  startSession(project.repository, 'Water the plants');
  observeNote(project.repository, TEXT);
  forget(project.open(), { text: TEXT });
  return project;
}

const findings = (project: Project): [string, string][] =>
  checkStore(project.open()).findings.map(({ severity, where }) => [severity, where]);

describe('a key', () => {
  it('that is gone, torn or another one is damage where something was forgotten, and none is made', () => {
    const project = forgotten();
    const { key } = project.repository.layout;
    const before = readFileSync(key, 'utf8');
    for (const torn of [null, 'abc', `${'0'.repeat(64)}\n`]) {
      if (torn === null) rmSync(key);
      else writeFileSync(key, torn);
      const error = errorOf(() => observeNote(project.open(), TEXT));
      expect(error).toMatchObject({ code: 'damaged' });
      expect(error.message).toContain('what was forgotten could come back');
      expect(error.hint).not.toContain('Remove the file');
      expect(errorOf(() => forget(project.open(), { text: 'plants' })).code).toBe('damaged');
      expect(errorOf(() => forget(project.open(), { text: 'plants' }, { dryRun: true })).code).toBe('damaged');
      expect(findings(project)).toEqual([['damage', torn?.length === 65 ? 'forgotten.json' : 'key']]);
      if (torn === null) expect(() => readFileSync(key)).toThrow(/ENOENT/);
    }
    writeFileSync(key, before);
    observeNote(project.open(), TEXT);
    expect(findings(project)).toEqual([]);
  });
});

describe('forgotten.json', () => {
  it('that is gone is damage: nothing is taken in that may have been forgotten', () => {
    const project = forgotten();
    const { forgotten: path, forgottenMark } = project.repository.layout;
    const before = readFileSync(path);
    rmSync(path);
    const expected = {
      code: 'damaged',
      message: 'forgotten.json is damaged: it is gone, and something was forgotten',
      hint: 'Nothing was taken in. Fetch the file from a backup, or continue without it: remove key.forgotten, and what was forgotten may come back.',
    };
    for (const call of [
      () => observeNote(project.open(), TEXT),
      () => startSession(project.open(), TEXT, { beside: true }),
      () => forget(project.open(), { text: 'plants' }),
    ])
      expect(errorOf(call)).toMatchObject(expected);
    expect(findings(project)).toEqual([['damage', 'forgotten.json']]);
    checkStore(project.open(), { repair: true });
    expect(errorOf(() => observeNote(project.open(), TEXT))).toMatchObject(expected);
    writeFileSync(path, before);
    observeNote(project.open(), TEXT);
    expect(findings(project)).toEqual([]);
    // Whoever has no backup can go on.
    for (const file of [path, forgottenMark]) rmSync(file);
    observeNote(project.open(), 'and on');
    expect(findings(project)).toEqual([['note', 'forgotten.json']]);
  });

  it('is marked in a file that is no more for others than the key is, also by who finishes a forgetting', () => {
    const project = forgotten();
    const { forgottenMark, root } = project.repository.layout;
    expect(statSync(forgottenMark).mode & 0o777).toBe(0o600);
    expect(readFileSync(below(root, '.gitignore'), 'utf8').split('\n')).toContain('key.*');
    expect(readFileSync(forgottenMark, 'utf8')).not.toContain(TEXT);
    // Git takes it for one of its own neither.
    expect(fsck(root)).toBe('');
    rmSync(forgottenMark);
    observeNote(project.open(), 'one more word that must go');
    forget(project.open(), { text: 'one more word that must go' });
    expect(() => statSync(forgottenMark)).not.toThrow();
  });

  it('that is far too large is named, and nothing is taken in', () => {
    const project = forgotten();
    truncateSync(project.repository.layout.forgotten, 33 * 1024 * 1024);
    const expected = { code: 'damaged', message: 'forgotten.json is damaged: it is far too large' };
    const error = errorOf(() => observeNote(project.open(), TEXT));
    expect(error).toMatchObject({ ...expected, hint: expect.stringContaining('Fetch the file from a backup') });
    expect(findings(project)).toEqual([['damage', 'forgotten.json']]);
    const told = [...lookAtStore(project.open())].map(({ severity, message }) => [severity, message]);
    expect(told).toEqual([['problem', `forgotten.json: ${expected.message}`]]);
  });

  it('may know more than a hundred thousand strings; more than can be looked through is refused before it is written', () => {
    const project = forgotten();
    const list = readForgotten(project.repository);
    const [hash, label] = ['0'.repeat(64), '0'.repeat(8)];
    const longer = (count: number): Buffer =>
      encodeForgotten({ ...list, wholes: Array.from({ length: count }, () => ({ length: 20, hash, label })) });
    writeFileSync(project.repository.layout.forgotten, longer(200_000));
    observeNote(project.open(), TEXT);
    expect(findings(project)).toEqual([]);
    expect(errorOf(() => longer(300_000))).toMatchObject({ code: 'invalid_input' });
  });

  it('is read to its last field', () => {
    const project = forgotten();
    const { forgotten: path } = project.repository.layout;
    const whole = readFileSync(path, 'utf8').slice(51);
    const put = (rest: string): void => writeFileSync(path, `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`);
    const list = JSON.parse(`{${whole}`);
    const text = list.texts[0];
    const hash = text.hash;
    const others = [
      { texts: [null] },
      ...['length', 'anchor', 'roll', 'hash', 'label'].map((name) => ({ texts: [{ ...text, [name]: null }] })),
      { texts: [{ ...text, length: 0 }] },
      { texts: [{ ...text, roll: 0.5 }] },
      { texts: [{ ...text, hash: hash.slice(1) }] },
      { wholes: [{ length: 20, hash: 7, label: text.label }] },
      { wholes: [{ length: 20, hash, label: '' }] },
      { sources: [{ hash, session_id: 1, at: 1 }] },
      { sources: [{ hash, session_id: 'a', at: 'now' }] },
      { contents: [hash, 1] },
      { contents: {} },
      { check: 1 },
      { version: 2 },
    ];
    for (const other of others) {
      put(JSON.stringify({ ...list, ...other }).slice(1));
      const error = errorOf(() => observeNote(project.open(), TEXT));
      expect([other, error.message]).toEqual([other, 'forgotten.json is damaged: it is no list of what was forgotten']);
    }
    for (const torn of ['', '{', '"a":}', `${'['.repeat(100_000)}`]) {
      put(torn);
      expect(errorOf(() => observeNote(project.open(), TEXT)).code).toBe('damaged');
    }
    put(whole.trimEnd());
    observeNote(project.open(), TEXT);
    expect(findings(project)).toEqual([]);
  });
});
