// Stores that ctx does not touch: none at all, one of another format or a newer version, one whose settings are wrong.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCommands } from '../../src/cli/table.ts';
import type { ActiveStatus } from '../../src/index.ts';
import {
  fingerprint,
  folder,
  NOON,
  normalise,
  type Repo,
  refused,
  repository,
  run,
  seen,
  session,
  write,
} from '../support/cli.ts';
import { SAMPLES, TRANSCRIPT } from '../support/samples.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

const commands = (await loadCommands()).filter((command) => !SAMPLES[command.name]?.storeless);
const sampleOf = (name: string): { line: string[]; input: string | undefined } => {
  const sample = SAMPLES[name] ?? { line: name.split(' ') };
  return { line: sample.line.map((word) => (word === '<first>' ? '01234567-89ab' : word)), input: sample.input };
};

test('a usage error prints neither a secret nor more than the beginning of what was typed', () => {
  const token = fill('ghp_{36:b}', new Chance(7));
  for (const line of [
    ['stage', 'flush', token],
    [`--${token}`],
    ['stage', 'flush', `--password=${token}`],
    [token],
    ['log', '--limit', `x ${token}`],
    ['show', token, token],
  ]) {
    const ran = run(line);
    expect([line, ran.code]).toEqual([line, 2]);
    expect(ran.stdout + ran.stderr).not.toContain(token);
    expect(ran.stdout + ran.stderr).not.toContain(token.slice(4, 16));
    expect(run(['--json', ...line]).stdout).not.toContain(token.slice(4, 16));
  }
  const long = run(['stage', `${'very '.repeat(100)}long`]);
  expect(long.stderr).toContain('…');
  expect(long.stderr.length).toBeLessThan(300);
});

test.each(commands.map((command) => command.name))('ctx %s wants a store', (name) => {
  const { line, input } = sampleOf(name);
  const cwd = folder();
  write(join(cwd, 'client.ts'), '{}\n');
  write(join(cwd, 'transcript.jsonl'), TRANSCRIPT);
  expect(refused(line, { cwd, input })).toEqual({
    exit: 1,
    code: 'not_a_repository',
    message: `There is no .ctx here or in any folder above ${cwd}.`,
    hint: 'Make one with: ctx init',
    data: null,
  });
  expect(Object.keys(fingerprint(cwd))).toEqual(['client.ts', 'transcript.jsonl']);
});

test('a folder called .ctx that is no store is passed over', () => {
  const outer = session();
  mkdirSync(join(outer.dir, 'inner/.ctx'), { recursive: true });
  expect(run(['stage', 'status'], { cwd: join(outer.dir, 'inner') }).stdout).toContain('Add retry with backoff');
});

describe('a store of another format', () => {
  let sound: Repo;
  beforeAll(() => {
    sound = session();
  });

  /** Returns the errors of a store once one of its files has another text. */
  const says = (file: string, text: string): string => {
    const repo = sound.copy();
    write(join(repo.store, file), text);
    const before = fingerprint(repo.store);
    for (const line of [
      ['observe', 'note', 'x'],
      ['stage', 'compact'],
    ]) {
      expect(repo.refused(line)).toMatchObject({ exit: 1, code: 'unsupported_store' });
    }
    expect(fingerprint(repo.store)).toEqual(before);
    return normalise(repo.run(['stage', 'status']).stderr);
  };

  const config = (text: string): string => `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${text}`;

  test.each([
    config('[extensions]\n\tobjectFormat = sha256\n'),
    config('[extensions]\n\trefStorage = reftable\n'),
    config('[extensions]\n'),
    config('[Extensions]\n\tx = 1\n'),
    config('[extensions] objectformat = sha256\n'),
    config('[extensions "sub"]\n\tx = 1\n'),
    '[core]\n\tbare = true\n[extensions]\n\tpartialClone = x\n',
  ])('with extensions is refused: %j', (text) => {
    expect(says('config', text)).toBe(
      'error: This store cannot be used: its config has [extensions].\n' +
        'hint: ctx reads stores in the format that ctx init makes: SHA-1, files for refs, no extensions, no alternates.\n',
    );
  });

  test.each(['1', '01', '99'])('of format version %s is refused', (version) => {
    expect(says('config', `[core]\n\trepositoryformatversion = ${version}\n`)).toContain(
      `error: This store cannot be used: its format version is ${version}.`,
    );
    expect(says('config', `[CORE] RepositoryFormatVersion=${version}\n`)).toContain('its format version is');
  });

  test('that borrows objects from another store is refused', () => {
    expect(says('objects/info/alternates', '/elsewhere/objects\n')).toContain(
      'it borrows objects from another store (objects/info/alternates).',
    );
  });

  test('whose HEAD is elsewhere is refused', () => {
    expect(says('HEAD', 'ref: refs/heads/other\n')).toContain('its HEAD does not say "ref: refs/heads/main"');
    expect(says('HEAD', '8e231092b523f8b0396b1e996d8e867b8fd29aeb\n')).toContain('its HEAD does not say');
  });
});

describe('settings.json', () => {
  let repo: Repo;
  beforeAll(() => {
    repo = session();
  });
  const told = (text: string): string => {
    write(join(repo.store, 'settings.json'), text);
    // The words for a slip in the JSON are those of this version of Node.
    return seen(repo.run(['stage', 'status'])).replace(/(line \d+: )[A-Z].*/, '$1<what JSON.parse says>');
  };
  const wrong = (text: string): string => {
    write(join(repo.store, 'settings.json'), text);
    const before = fingerprint(repo.store);
    const error = repo.refused(['observe', 'note', 'x']);
    expect(error).toMatchObject({ exit: 1, code: 'invalid_settings' });
    expect(fingerprint(repo.store)).toEqual(before);
    return normalise(error.message);
  };

  test('that is wrong is named with its line, and nothing is done', () => {
    expect(told('{\n  "ask_threshold": "24h",\n  "fsync": "yes"\n}\n')).toMatchInlineSnapshot(`
      "exit 1
      err| error: <dir>/.ctx/settings.json, line 3: "fsync" takes true or false, not "yes"
      err| hint: Correct the line; every key is optional and has a default."
    `);
    expect(told('{\n  "ask_threshold": "24h"\n  "fsync": true\n}\n')).toMatchInlineSnapshot(`
      "exit 5
      err| error: <dir>/.ctx/settings.json, line 3: <what JSON.parse says>
      err| hint: Correct the line, or write {} into the file: every key is optional and has a default."
    `);
    expect(told('')).toMatchInlineSnapshot(`
      "exit 5
      err| error: <dir>/.ctx/settings.json, line 1: it is empty
      err| hint: Correct the line, or write {} into the file: every key is optional and has a default."
    `);
    expect(told('[]')).toMatchInlineSnapshot(`
      "exit 1
      err| error: <dir>/.ctx/settings.json, line 1: it is not a JSON object
      err| hint: Correct the line; every key is optional and has a default."
    `);
  });

  test.for([
    ['{"ask_threshold": "soon"}', '"ask_threshold" takes a duration: "24h", "7d" or seconds, not "soon"'],
    ['{"ask_threshold": -1}', '"ask_threshold" takes a duration: "24h", "7d" or seconds, not -1'],
    ['{"auto_compact_threshold": 1.5}', '"auto_compact_threshold" takes a duration'],
    ['{"auto_compact_threshold": null}', '"auto_compact_threshold" takes a duration'],
    ['{"ask_threshold": "8d"}', '"ask_threshold" is above "auto_compact_threshold", which is 7d'],
    ['{"auto_compact_threshold": "1h"}', '"auto_compact_threshold" is below "ask_threshold"'],
    ['{"auto_compact_message_template": 5}', '"auto_compact_message_template" takes text, not 5'],
    ['{"fsync": 1}', '"fsync" takes true or false, not 1'],
    ['{"snapshot_limit": "big"}', '"snapshot_limit" takes a size: bytes, "64KiB" or "1MiB", not "big"'],
    ['{"snapshot_limit": -5}', '"snapshot_limit" takes a size'],
    ['null', 'it is not a JSON object'],
  ] as const)('%s', ([text, message]) => {
    expect(wrong(text)).toContain(message);
  });

  test.for(['{"fsync": true}}', '{"fsync": tr', ''])('that is no JSON is damaged: %j', (text) => {
    write(join(repo.store, 'settings.json'), text);
    expect(repo.refused(['stage', 'status'])).toMatchObject({ exit: 5, code: 'damaged' });
    expect(repo.refused(['stage', 'status']).message).toContain('settings.json, line 1: ');
  });

  test('with keys of a newer version is read, and they are reported', () => {
    write(join(repo.store, 'settings.json'), '{"sparkle": true, "__proto__": 1, "constructor": 2, "fsync": false}');
    const { code, stderr } = repo.run(['stage', 'status']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'warning: settings.json has keys that this version does not know: sparkle, __proto__, constructor\n',
    );
  });

  test('need not be there', () => {
    rmSync(join(repo.store, 'settings.json'));
    expect(repo.run(['stage', 'status'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('what a newer version wrote', () => {
  const HINT = 'Upgrade ctx, and run the command again; nothing was changed.';

  /** Moves a ref to a copy of its commit in which one file of the tree has another text. */
  function rewrite(repo: Repo, ref: string, file: string, change: (text: string) => string): void {
    const text = write(join(folder(), 'text'), change(repo.git('cat-file', 'blob', `${ref}:${file}`)));
    const blob = repo.git('hash-object', '-w', text).trim();
    const index = `GIT_INDEX_FILE=${join(folder(), 'index')}`;
    const git = (...words: string[]): string => repo.git('-c', `alias.run=!${index} git`, 'run', ...words).trim();
    git('read-tree', ref);
    git('update-index', '--add', '--cacheinfo', `100644,${blob},${file}`);
    const tree = git('write-tree');
    const commit = repo.git('cat-file', 'commit', ref).replace(/^tree .*/, `tree ${tree}`);
    const oid = repo.git('hash-object', '-t', 'commit', '-w', write(join(folder(), 'commit'), commit)).trim();
    repo.git('update-ref', repo.git('rev-parse', '--symbolic-full-name', ref).trim(), oid);
  }

  const newer = (text: string): string => text.replaceAll('"version":1', '"version":2');

  test('as session.json of an open session is refused, with a hint to upgrade', () => {
    const repo = session();
    const { session_id } = repo.json<ActiveStatus>(['stage', 'status']);
    rewrite(repo, `refs/sessions/${session_id}`, 'session.json', newer);
    const before = fingerprint(repo.store);
    for (const line of [
      ['stage', 'status'],
      ['stage', 'flush', '--allow-empty'],
      ['stage', 'compact'],
      ['stage', 'list'],
      ['show', 'STAGE'],
    ]) {
      expect(repo.refused(line)).toMatchObject({ exit: 1, code: 'newer_version', hint: HINT });
    }
    expect(seen(repo.run(['stage', 'status']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: session.json of step <oid1> was written by a newer version of ctx.
      err| hint: Upgrade ctx, and run the command again; nothing was changed."
    `);
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('as a record of a step, as a saved session, or as what waits, is refused as well', () => {
    const repo = session();
    repo.run(['observe', 'note', 'x', '--flush']);
    const { session_id } = repo.json<ActiveStatus>(['stage', 'status']);
    const records = repo.copy();
    rewrite(records, `refs/sessions/${session_id}`, 'step.jsonl', newer);
    expect(records.refused(['show', 'STAGE'])).toMatchObject({ exit: 1, code: 'newer_version', hint: HINT });
    expect(records.refused(['stage', 'compact'])).toMatchObject({ exit: 1, code: 'newer_version' });
    const saved = repo.copy();
    saved.run(['stage', 'compact']);
    rewrite(saved, 'refs/heads/main', 'session.json', newer);
    expect(saved.refused(['log'])).toMatchObject({ exit: 1, code: 'newer_version', hint: HINT });
    // The time does not matter, so a later command may come.
    expect(saved.run(['stage', 'start', 'x'], { now: NOON + 1 })).toMatchObject({ code: 0 });
  });
});

test('a settings file, a store and a session that are all right are not complained about', () => {
  expect(repository().run(['stage', 'status'])).toMatchObject({ code: 0, stderr: '' });
});
