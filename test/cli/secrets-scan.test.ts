// `ctx secrets scan`: what it finds where, what it tells of it, and what it leaves alone.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../src/app/scan.ts';
import { fingerprint, folder, json, NOON, type Repo, refused, run, session, write } from '../support/cli.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

const KEY = fill('AKIA{16:U}', new Chance(3));
const TOKEN = fill('ghp_{36:b}', new Chance(7));
const block = (word: string): string => `-----${word} PRIVATE KEY-----`;
const PRIVATE = `${block('BEGIN')}\n${fill('{64:s}\n{64:s}', new Chance(9))}\n${block('END')}\n`;

const TEXT = 'The delay doubles up to ten seconds, and then it stays. '.repeat(10);

/** Words of so many bytes in all that do not shrink to nothing. */
function noise(bytes: number): Buffer {
  const words = Buffer.alloc(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at += 1) {
    state = (state * 48_271) % 2_147_483_647;
    words[at] = at % 7 === 6 ? 0x20 : 0x61 + (state % 26);
  }
  return words;
}

/** A store in which everything was written as it is, with a session that was saved and one that is open. */
let repo: Repo;
let id: string;

beforeAll(() => {
  repo = session('Add retry with backoff');
  repo.write('.ctx/settings.json', '{"redact":"off"}');
  repo.write('src/client.ts', `one\ntwo\nconst key = '${KEY}';\n`);
  repo.run(['observe', 'read', 'src/client.ts']);
  repo.run(['observe', 'command', '--exit-code', '0', '--', `echo\n${TOKEN}`]);
  repo.run(['stage', 'compact', '-m', `with ${KEY}`]);
  repo.run(['stage', 'start', 'Second']);
  repo.run(['observe', 'note', `line\n${PRIVATE}`, '--flush']);
  repo.run(['observe', 'note', TOKEN]);
  id = repo.json<{ session_id: string }>(['stage', 'status']).session_id;
});

/** Scans, and gives what is told; no secret may be. */
function scan(args: string[], of: Repo = repo, exit = 1): ScanResult {
  const line = ['secrets', 'scan', ...args];
  for (const { stdout, stderr } of [of.run(line), of.run(['--json', ...line])])
    for (const secret of [KEY, TOKEN, PRIVATE.split('\n')[1] as string]) expect(stdout + stderr).not.toContain(secret);
  return of.json<ScanResult>(line, { exit });
}

describe('the store', () => {
  test('is looked through: messages, records, contents, what waits, each with rule, count and place', () => {
    const before = fingerprint(repo.store);
    const { findings, counts } = scan([]);
    const places = findings.map(({ rule, where }) => `${rule} ${where}`);
    expect(places).toContain('aws-access-key files/src/client.ts');
    expect(places).toContain('aws-access-key message');
    expect(places).toContain('aws-access-key session.json');
    expect(places).toContain('private-key step.jsonl');
    const command = findings.find(({ rule, where }) => rule === 'github-token' && where === 'step.jsonl');
    expect(command).toMatchObject({ field: 'command', step: expect.any(Number), line: expect.any(Number), count: 1 });
    expect(command?.record).toMatch(/^[0-9a-f-]{36}$/);
    expect(findings.find(({ where }) => where === 'files/src/client.ts')).toMatchObject({ line: 3, field: null });
    const waits = findings.find(({ where }) => where.startsWith(`pending/${id}/`));
    expect(waits).toMatchObject({ rule: 'github-token', session: id, field: 'record.content', commit: null });
    expect(Object.keys(counts).sort()).toEqual(['aws-access-key', 'github-token', 'private-key']);
    // To look changes nothing.
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('is looked through with what lies astray where records wait', () => {
    const repo = session('Strays');
    const id = repo.json<{ session_id: string }>(['stage', 'status']).session_id;
    repo.write('.ctx/pending/stray.tmp', TOKEN);
    repo.write('.ctx/pending/old/deep/note.txt', `one\n${KEY}`);
    repo.write(`.ctx/pending/${id}/mine/note.txt`, KEY);
    repo.write(`.ctx/pending/${id}/objects/${'a'.repeat(40)}`, TOKEN);
    const { findings } = scan([], repo);
    const places = findings.map(({ where, session: whose, line }) => [where, whose, line]).sort();
    expect(places).toEqual([
      [`pending/${id}/mine/note.txt`, id, 1],
      [`pending/${id}/objects/${'a'.repeat(40)}`, id, 1],
      ['pending/old/deep/note.txt', null, 2],
      ['pending/stray.tmp', null, 1],
    ]);
  });

  test('is looked through with objects that nothing names, files that are no part of it, and their names', () => {
    const repo = session('Astray');
    const object = repo.git('hash-object', '-w', repo.write('left.txt', `one\n${KEY}`)).trim();
    repo.write('.ctx/lost/x', `two\nlines\n${TOKEN}`);
    repo.write('.ctx/lost/y', deflateSync(`blob 99\0${TOKEN}`));
    repo.write('.ctx/hook-errors.jsonl', `${JSON.stringify({ message: `no ${KEY}` })}\n`);
    repo.write('.ctx/info/exclude', `# ${KEY}\n`);
    repo.write(`.ctx/lost/${TOKEN}`, 'nothing');
    const { findings } = scan([], repo);
    const places = findings.map(({ rule, where, line, field }) => [rule, where, line, field]);
    expect(places.sort()).toEqual([
      ['aws-access-key', 'hook-errors.jsonl', 1, 'message'],
      ['aws-access-key', 'info/exclude', 1, null],
      ['aws-access-key', `object ${object}`, 2, null],
      ['github-token', 'lost/x', 3, null],
      ['github-token', 'lost/y', 1, null],
      ['github-token', expect.stringMatching(/^the name lost\/\[redacted:github-token:[0-9a-f]{8}\]$/), 1, null],
    ]);
  });

  test.each<[string, () => Buffer]>([
    ['behind a stream', () => Buffer.concat([deflateSync('hi'), Buffer.from(`\n${TOKEN}`)])],
    ['behind what only looks like one', () => Buffer.concat([deflateSync(TEXT).subarray(0, 400), Buffer.from(TOKEN)])],
    ['at the end of a long one', () => deflateSync(Buffer.concat([noise(8_000_000), Buffer.from(`\n${TOKEN}`)]))],
  ])('is looked through with a file that has a secret %s', (_name, content) => {
    const repo = session('Astray');
    repo.write('.ctx/lost/x', content());
    expect(scan([], repo).findings).toMatchObject([{ rule: 'github-token', where: 'lost/x', count: 1 }]);
  });

  test('is looked through with a large content that nothing names, once', () => {
    const repo = session('Astray');
    repo.write('.ctx/settings.json', '{"redact":"off"}');
    repo.run(['observe', 'note', '-', '--flush'], { input: `${`${TEXT}\n`.repeat(10_000)}${KEY}\n` });
    expect(scan([], repo).findings.map(({ count }) => count)).toEqual([1]);
    const ref = repo.git('for-each-ref', '--format=%(refname)', 'refs/sessions').trim();
    repo.git('symbolic-ref', '--delete', 'STAGE');
    repo.git('update-ref', '-d', ref);
    rmSync(join(repo.store, 'logs'), { recursive: true });
    expect(scan([], repo).findings.map(({ count }) => count)).toEqual([1]);
  });

  test('is looked through past pipes, devices and links, which are named', () => {
    const repo = session('Stranger');
    const outside = repo.write('out.txt', KEY);
    repo.write('.ctx/lost/y', TOKEN);
    const pipes = ['lost/x', 'hook-errors.jsonl', 'cache/x', 'choices/x.json', 'stray', 'refs/junk', 'objects/junk'];
    for (const name of pipes) {
      mkdirSync(dirname(join(repo.store, name)), { recursive: true });
      expect(spawnSync('mkfifo', [join(repo.store, name)]).status).toBe(0);
    }
    symlinkSync('/dev/zero', join(repo.store, 'lost/zero'));
    symlinkSync(outside, join(repo.store, 'lost/out'));
    const { findings, strange } = scan([], repo);
    expect(findings).toMatchObject([{ rule: 'github-token', where: 'lost/y' }]);
    const links = ['lost/out', 'lost/zero'].map((where) => ({ where, what: 'a link' }));
    const all = [...pipes.map((where) => ({ where, what: 'a pipe or a socket' })), ...links];
    expect(strange).toEqual(expect.arrayContaining(all));
    expect(strange).toHaveLength(all.length);
    const { stderr } = repo.run(['secrets', 'scan']);
    expect(stderr).toContain('warning: lost/zero is a link: it was not looked into\n');
  });

  test('is not looked at where a path was named that is neither file nor folder: that is refused', () => {
    const place = folder();
    expect(spawnSync('mkfifo', [join(place, 'pipe')]).status).toBe(0);
    symlinkSync('pipe', join(place, 'link'));
    for (const name of ['./pipe', './link', '/dev/zero'])
      expect(refused(['secrets', 'scan', name], { cwd: place })).toMatchObject({
        code: 'invalid_input',
        exit: 1,
        message: `${name} is neither a file nor a folder.`,
      });
    // Below a folder it is no more than passed over.
    write(join(place, 'a.txt'), KEY);
    expect(json<ScanResult>(['secrets', 'scan', '.'], { cwd: place, exit: 1 }).scanned).toBe(1);
  });

  test('goes where a link leads that was named, and past those below it', () => {
    const place = folder();
    write(join(place, 'real/a.txt'), KEY);
    symlinkSync('real', join(place, 'link'));
    symlinkSync('../real', join(place, 'real/loop'));
    for (const name of ['./link', './link/']) {
      const ran = run(['secrets', 'scan', name], { cwd: place });
      expect([ran.code, ran.stderr]).toEqual([1, '']);
      expect(ran.stdout).toMatch(/^1 secret found/m);
    }
  });

  test('names a file by line, and says in plain words what was looked at', () => {
    const place = folder();
    write(join(place, 'a.txt'), `one\n${KEY}\n{"a": "${TOKEN}"}\ntwo`);
    const ran = run(['secrets', 'scan', './a.txt'], { cwd: place });
    const lines = [...ran.stdout.matchAll(/a\.txt:(\d+)/g)].map(([, line]) => Number(line));
    expect(lines).toEqual([2, 3]);
    expect(ran.stdout).toMatch(/^2 secrets found: 1 aws-access-key, 1 github-token\. Looked through 1 content\.\n$/m);
  });

  test('has no finding where everything was redacted: exit code 0', () => {
    const clean = session();
    clean.run(['observe', 'note', `${KEY} ${TOKEN}`, '--flush']);
    clean.run(['stage', 'compact']);
    expect(scan([], clean, 0)).toMatchObject({ findings: [], counts: {} });
    expect(clean.run(['secrets', 'scan']).stdout).toMatch(/^No secret found\. Looked through \d+ contents\.\n$/);
  });

  test('is found in packs too', () => {
    const packed = repo.copy();
    packed.run(['gc']);
    expect(scan([], packed).counts).toEqual(scan([]).counts);
  });

  test('prints labels that the markers of its own have', () => {
    const mixed = session();
    mixed.run(['observe', 'note', KEY, '--flush']);
    const label = /aws-access-key:([0-9a-f]{8})\]/.exec(mixed.git('show', 'STAGE:step.jsonl'))?.[1];
    mixed.write('f.txt', KEY);
    expect(scan(['./f.txt'], mixed).findings).toMatchObject([{ label, where: './f.txt', line: 1 }]);
  });

  test('may allow texts and switch rules off; "redact": "off" counts for writing alone', () => {
    const allowing = repo.copy();
    allowing.write('.ctx/settings.json', JSON.stringify({ redact: { allow: [KEY], off: ['private-key'] } }));
    expect(Object.keys(scan([], allowing).counts)).toEqual(['github-token']);
  });
});

describe('a revision', () => {
  test('is what its commit holds', () => {
    const { findings } = scan(['HEAD']);
    expect(new Set(findings.map(({ commit }) => commit))).toEqual(new Set([repo.git('rev-parse', 'main').trim()]));
    expect(findings.map(({ where }) => where)).toContain('files/src/client.ts');
    expect(Object.keys(scan(['STAGE']).counts)).toEqual(['private-key']);
    expect(scan(['HEAD~1'], repo, 0).findings).toEqual([]);
  });

  test('that is none, nor a file, is refused', () => {
    expect(repo.refused(['secrets', 'scan', 'nowhere'])).toMatchObject({ code: 'not_found', exit: 1 });
  });
});

describe('a path', () => {
  test('is a file, or a folder with all below it but links and what is binary', () => {
    const place = folder();
    write(join(place, 'deep', 'a.txt'), `x\n\n${KEY} and ${KEY}\n`);
    write(join(place, 'picture'), `\0${KEY}`);
    write(join(place, TOKEN, 'f'), `${KEY}\n`);
    mkdirSync(join(place, 'links'));
    symlinkSync(join(place, 'deep'), join(place, 'links', 'again'));
    const { findings, scanned, binary } = json<ScanResult>(['secrets', 'scan', place], { exit: 1 });
    expect(findings).toMatchObject([
      { rule: 'aws-access-key', count: 2, where: join(place, 'deep', 'a.txt'), line: 3 },
      { rule: 'aws-access-key', count: 1, where: expect.stringMatching(/\[redacted:github-token:[0-9a-f]{8}\].f$/) },
    ]);
    expect(new Set(findings.map(({ label }) => label)).size).toBe(1);
    expect([scanned, binary]).toEqual([2, 1]);
    expect(run(['secrets', 'scan', join(place, 'picture')]).stdout).toBe(
      'No secret found. Looked through 0 contents, not through 1 that is binary.\n',
    );
    expect(json<ScanResult>(['secrets', 'scan', join(place, 'links')]).findings).toEqual([]);
  });

  test('of lines of JSON is looked at decoded, behind escapes and beside names', () => {
    const line = JSON.stringify({
      id: 'r1',
      deep: [{ text: `a\n${TOKEN}` }, { name: 'DB_PASSWORD', value: 'Zan48!peldor' }],
    });
    const path = write(join(folder(), 'log.jsonl'), `{"fine":1}\n${line}\nplain ${KEY}\n`);
    expect(json<ScanResult>(['secrets', 'scan', path], { exit: 1 }).findings).toMatchObject([
      { rule: 'github-token', line: 2, record: 'r1', field: 'deep.0.text' },
      { rule: 'password', line: 2, record: 'r1', field: 'deep.1.value' },
      { rule: 'aws-access-key', line: 3, record: null, field: null },
    ]);
  });

  test.each([
    ['little', [0xff, 0xfe], (text: Buffer) => text],
    ['big', [0xfe, 0xff], (text: Buffer) => text.swap16()],
  ])('of text in UTF-16, %s endian, is no binary one', (_which, mark, turned) => {
    const path = join(folder(), 'log.txt');
    writeFileSync(path, Buffer.concat([Buffer.from(mark), turned(Buffer.from(`words\n${KEY}\n`, 'utf16le'))]));
    expect(json<ScanResult>(['secrets', 'scan', path], { exit: 1 })).toMatchObject({
      findings: [{ rule: 'aws-access-key', line: 2 }],
      scanned: 1,
      binary: 0,
    });
  });

  test('of a revision’s name is meant where it looks like one', () => {
    const own = session();
    own.write('main', KEY);
    expect(scan(['main'], own, 0).scanned).toBeGreaterThan(0);
    expect(scan(['./main'], own).findings).toHaveLength(1);
  });

  test('prints lines of large files as well', () => {
    const path = write(
      join(folder(), 'large'),
      `${'some words of a line\n'.repeat(400_000)}${KEY}\n${'x'.repeat(50_000)}`,
    );
    expect(json<ScanResult>(['secrets', 'scan', path], { exit: 1 }).findings).toMatchObject([{ line: 400_001 }]);
  });
});

describe('standard input', () => {
  test('needs no store', () => {
    const found = json<ScanResult>(['secrets', 'scan', '-'], { input: `a\n${KEY}\n`, exit: 1 });
    expect(found.findings).toMatchObject([{ rule: 'aws-access-key', where: 'stdin', line: 2 }]);
    expect(run(['secrets', 'scan', '-'], { input: 'nothing' })).toMatchObject({ code: 0 });
    expect(refused(['secrets', 'scan'])).toMatchObject({ code: 'not_a_repository', exit: 1 });
    expect(refused(['secrets', 'scan', 'nowhere'])).toMatchObject({ code: 'not_found' });
  });

  test('by rule, and by values of the environment', () => {
    const input = `${KEY} ${TOKEN} and Zanpel48#Dor\n`;
    const env = { DEPLOY_PASSWORD: 'Zanpel48#Dor' };
    const rules = (...args: string[]): string[] =>
      Object.keys(json<ScanResult>(['secrets', 'scan', '-', ...args], { input, env, exit: 1, now: NOON }).counts);
    expect(rules()).toEqual(['aws-access-key', 'github-token', 'environment']);
    expect(rules('--rule', 'jwt', '--rule', 'environment')).toEqual(['environment']);
  });
});

test.each([
  ['./nope.txt', 'There is no file ./nope.txt, and no such revision.'],
  ['nope.txt', 'There is no file nope.txt, and no such revision.'],
  ['src/nope', 'There is no file src/nope, and no such revision.'],
  ['nope', 'There is no revision nope.'],
  ['HEAD~99', 'There is no revision HEAD~99.'],
])('%s is not there', (target, message) => {
  expect(repo.refused(['secrets', 'scan', target])).toMatchObject({ code: 'not_found', exit: 1, message });
});

test.each([
  ['secrets', 'scan', '--rule', 'jvt'],
  ['secrets', 'scan', '--rule', 'jwt', '--rule', 'jvt'],
  ['forget', '--rule', 'jvt', '--yes'],
])('%s %s %s …: an unknown rule is a wrong command line, and those that there are can be listed', (...args) => {
  const error = repo.refused(args);
  expect(error).toMatchObject({ code: 'usage', exit: 2, message: 'There is no rule jvt.' });
  expect(error.hint).toContain('docs/secrets.md');
  expect(error.data).toMatchObject({ rules: expect.arrayContaining(['jwt', 'environment']) });
});
