// Tests files that Git reads and ctx does not: reflogs, refs of the user's own, files of Git's. An error of Git's own check is named.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

interface Subject extends Project {
  /** The ref of the session that is open. */
  ref: string;
  /** Puts a text in a file of the store. */
  put: (name: string, text: string | Buffer) => void;
  text: (name: string) => string;
  /** Lists the copies in `lost/` of a file. */
  kept: (name: string) => string[];
}

/** A saved session, and an open one of three steps. */
function subject(): Subject {
  const project = makeProject();
  ctx.startSession(project.repository, 'one');
  ctx.observeNote(project.repository, 'a note');
  ctx.compactSession(project.repository);
  const { session_id } = ctx.startSession(project.repository, 'two');
  for (const note of ['first', 'second']) {
    ctx.observeNote(project.repository, note);
    ctx.flushStep(project.repository);
  }
  const place = (name: string): string => join(project.store, name);
  return {
    ...project,
    ref: `refs/sessions/${session_id}`,
    put: (name, text) => {
      mkdirSync(dirname(place(name)), { recursive: true, mode: 0o700 });
      writeFileSync(place(name), text, { mode: 0o600 });
    },
    text: (name) => readFileSync(place(name), 'latin1'),
    kept: (name) =>
      readdirSync(place('lost'))
        .filter((entry) => entry.startsWith(`${name.replaceAll('/', '-')}.`))
        .map((entry) => readFileSync(place(`lost/${entry}`), 'latin1')),
  };
}

const found = (of: Project, full = false): [where: string, message: string, hint: string][] =>
  checkStore(of.open(), { full }).findings.map(({ where, message, hint }) => [where, message, hint]);

async function isMended(of: Project): Promise<string[]> {
  const { repaired, findings } = await checkOrMend(of.open(), { repair: true, full: true });
  expect(findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
  return repaired;
}

const [GONE, NOTHING] = ['4'.repeat(40), '0'.repeat(40)];

test('a torn ref of the user’s that somebody holds is left for the next time, with what else is held; the others are repaired', async () => {
  const of = subject();
  const main = of.git('rev-parse', 'main').trim();
  for (const name of ['held', 'torn']) {
    of.git('branch', name, 'main');
    of.put(`refs/heads/${name}`, 'torn');
  }
  of.put('refs/heads/held.lock', '');
  const config = of.text('config');
  of.put('config', config.replace('\tauto = 0\n', ''));
  of.put('config.lock', '');
  const { repaired } = await checkOrMend(of.open({ lockWait: 20 }), { repair: true });
  expect(repaired).toEqual([
    expect.stringMatching(/^Left config as it is: config\.lock is held by another process/),
    expect.stringMatching(/^Left refs\/heads\/held as it is: refs\/heads\/held\.lock is held by another process/),
    expect.stringContaining(`Restored refs/heads/torn to ${main}`),
  ]);
  for (const name of ['refs/heads/held.lock', 'config.lock']) rmSync(join(of.store, name));
  expect(await isMended(of)).toHaveLength(2);
});

describe('a reflog', () => {
  test('whose ids are wrong in one digit is named line by line, and is what it was after a repair', async () => {
    const of = subject();
    const archive = of.git('for-each-ref', '--format=%(refname)', 'refs/archive').trim();
    for (const ref of [of.ref, archive, 'refs/heads/main']) {
      const log = `logs/${ref}`;
      const was = of.text(log);
      const lines = was.split('\n').length - 1;
      for (let line = 1; line <= lines; line += 1) {
        for (const [side, at] of [
          ['from', 3],
          ['to', 44],
        ] as const) {
          const texts = was.split('\n');
          const text = texts[line - 1] as string;
          const torn = text.slice(0, at) + (text[at] === '4' ? '5' : '4') + text.slice(at + 1);
          texts[line - 1] = torn;
          of.put(log, texts.join('\n'));
          const oid = side === 'from' ? torn.slice(0, 40) : torn.slice(41, 81);
          expect(fsck(of.store)).toContain(`invalid reflog entry ${oid}`);
          const message = `it moved ${side} ${oid}, which is missing from the store`;
          expect(found(of)).toEqual([[`${log} line ${line}`, message, 'ctx fsck --repair']]);
          expect(await isMended(of)).toEqual([expect.stringMatching(`^Put 1 torn id in ${log} right, by the lines`)]);
          expect(of.text(log)).toBe(was);
          expect(of.kept(log)).toContain(texts.join('\n'));
        }
      }
    }
  });

  test('that names an object which is gone is named, and stays: the command that is printed leaves its lines out', async () => {
    const of = subject();
    const log = `logs/${of.ref}`;
    const [first, ...rest] = of.text(log).split('\n');
    const who = 'ctx <ctx@localhost> 1769040000 +0000\tflush';
    const head = rest[0]?.slice(0, 40);
    of.put(log, [first, `${head} ${GONE} ${who}`, `${GONE} ${head} ${who}`, ...rest].join('\n'));
    const was = of.text(log);
    const [[where, message, hint] = ['', '', ''], ...others] = found(of);
    expect([where, message]).toEqual([`${log} line 2`, `it moved to ${GONE}, which is missing from the store`]);
    expect(others).toEqual([]);
    expect((await checkOrMend(of.open(), { repair: true })).repaired).toEqual([]);
    expect(of.text(log)).toBe(was);
    of.git(...(/ctx git (reflog expire .*)$/.exec(hint)?.[1] ?? '').split(' '));
    expect(await isMended(of)).toEqual([]);
    expect(of.text(log)).toBe([first, ...rest].join('\n'));
  });

  test('of HEAD gets back what Git noted of main too, and a head that ctx keeps there stays named', async () => {
    const of = subject();
    const head = of.git('rev-parse', of.ref).trim();
    // As Git notes it of a commit of its own on main.
    const byGit =
      of
        .text('logs/refs/heads/main')
        .split(/(?<=\n)/)
        .at(-1) ?? '';
    const kept = `${NOTHING} ${head} ctx <ctx@localhost> 1769040001 +0000\tundo: moved on from what was ingested\n`;
    const torn = [byGit.slice(0, 40), byGit.slice(41, 81)].map((id) => byGit.replace(id, GONE) + kept);
    for (const text of [...torn, byGit + kept.replace(NOTHING, GONE)]) {
      of.put('logs/HEAD', text);
      expect(await isMended(of)).toEqual([expect.stringMatching(/^Put 1 torn id in logs\/HEAD right, by the lines/)]);
      expect(of.text('logs/HEAD')).toBe(byGit + kept);
    }
    of.put('logs/HEAD', byGit + kept.replace(head, GONE));
    expect((await checkOrMend(of.open(), { repair: true })).repaired).toEqual([]);
    expect(found(of)).toEqual([
      [
        'logs/HEAD line 2',
        `it moved to ${GONE}, which is missing from the store`,
        expect.stringContaining('leave out'),
      ],
    ]);
  });

  test('of HEAD is left as it is where main moved twice in the same words', async () => {
    const of = subject();
    const [first, second] = of.git('rev-list', of.ref).split('\n');
    const line = (from: string, to: string): string => `${from} ${to} a <a@b> 1769040000 +0000\treset: moving\n`;
    const main = of.git('rev-parse', 'main').trim();
    const log = 'logs/refs/heads/main';
    const moves = [first, second].flatMap((oid = '') => [line(main, oid), line(oid, main)]);
    of.put(log, of.text(log) + moves.join(''));
    for (const torn of [line(main, GONE), line(GONE, main)]) {
      of.put('logs/HEAD', torn);
      expect((await checkOrMend(of.open(), { repair: true })).repaired).toEqual([]);
      expect(of.text('logs/HEAD')).toBe(torn);
      expect(found(of)).toMatchObject([['logs/HEAD line 1', expect.stringContaining(GONE), expect.anything()]]);
    }
  });

  test('whose ref somebody holds is left for the next time, and the others are repaired', async () => {
    const of = subject();
    const log = 'logs/refs/heads/main';
    const was = of.text(log);
    of.put('logs/ORIG_HEAD', was.replace(/^(.{41}).{40}/, `$1${GONE}`));
    of.put('ORIG_HEAD', was.slice(41, 82).replace(' ', '\n'));
    of.put('ORIG_HEAD.lock', '');
    of.put(log, was.replace(/^.{40}/, GONE));
    const { repaired } = await checkOrMend(of.open({ lockWait: 20 }), { repair: true });
    expect(repaired).toEqual([
      expect.stringMatching(
        /^Left logs\/ORIG_HEAD as it is: ORIG_HEAD\.lock is held by another process, .*break-lock$/,
      ),
      expect.stringMatching(/^Put 1 torn id in logs\/refs\/heads\/main right/),
    ]);
    rmSync(join(of.store, 'ORIG_HEAD.lock'));
    expect(of.text(log)).toBe(was);
  });

  test('is left as it is if what is beside the torn id is no line', async () => {
    const of = subject();
    const log = 'logs/refs/heads/mine';
    const [first = '', second = '', ...rest] = of.text(`logs/${of.ref}`).split(/(?<=\n)/);
    const who = ' ctx <ctx@localhost> 1769040000 +0000\tflush\n';
    const head = of.git('rev-parse', of.ref).trim();
    of.put('refs/heads/mine', `${head}\n`);
    const texts = [
      ['no line\n', GONE + first.slice(40), second, ...rest],
      [first, `${first.slice(0, 41)}${GONE}${who}`, 'no line\n', second, ...rest],
      [first, second, 'no line\n', GONE + (rest[0] ?? '').slice(40), ...rest.slice(1)],
      // The move that was cut off there may have moved it to its place.
      [first, second, ...rest, `${head} ${GONE}${who}`, `${GONE} ${head}`],
    ];
    for (const text of texts.map((lines) => lines.join(''))) {
      of.put(log, text);
      expect((await checkOrMend(of.open(), { repair: true })).repaired).toEqual([]);
      expect(of.text(log)).toBe(text);
    }
  });

  test('with a line that a killed process has left unfinished is right, as Git has it', () => {
    const of = subject();
    of.put(`logs/${of.ref}`, `${of.text(`logs/${of.ref}`)}${GONE} ${GONE.slice(0, 20)}`);
    expect([found(of, true), fsck(of.store)]).toEqual([[], '']);
  });
});

describe('a ref that is none of ctx', () => {
  test('and is torn is restored from its reflog, or set aside if nothing names it', async () => {
    const of = subject();
    of.git('branch', 'mine', 'main');
    const was = of.text('refs/heads/mine');
    for (const text of ['', 'torn\n', was.slice(0, 30)]) {
      of.put('refs/heads/mine', text);
      expect(fsck(of.store)).toContain('refs/heads/mine: invalid sha1 pointer');
      expect(found(of)).toEqual([
        ['refs/heads/mine', expect.stringContaining('neither an object id'), expect.stringContaining('fsck --repair')],
      ]);
      expect(await isMended(of)).toEqual([expect.stringMatching(/^Restored refs\/heads\/mine to /)]);
      expect([of.text('refs/heads/mine'), of.kept('refs/heads/mine').includes(text)]).toEqual([was, true]);
    }
    of.put('refs/tags/kept', 'torn');
    expect(await isMended(of)).toEqual([expect.stringMatching(/^Set the torn refs\/tags\/kept aside in lost\//)]);
    expect(of.kept('refs/tags/kept')).toEqual(['torn']);
  });

  test.each([
    ['a missing object', 'refs/tags/mine', `${GONE}\n`, /take the ref away: ctx git (update-ref -d refs\/tags\/mine)$/],
    [
      'a ref that is not there',
      'refs/heads/mine',
      'ref: refs/heads/none\n',
      /ctx git (symbolic-ref -d refs\/heads\/mine)$/,
    ],
  ])(
    'and names %s is named, left alone, and taken away by the command that is printed',
    async (_what, ref, text, typed) => {
      const of = subject();
      of.put(ref, text);
      expect(fsck(of.store)).not.toBe('');
      const [[where, , hint] = ['', '', ''], ...others] = found(of);
      expect([where, others]).toEqual([ref, []]);
      expect((await checkOrMend(of.open(), { repair: true })).repaired).toEqual([]);
      expect(of.text(ref)).toBe(text);
      of.git(...(typed.exec(hint)?.[1] ?? '').split(' '));
      expect(await isMended(of)).toEqual([]);
    },
  );

  test('and names another ref, or HEAD, or an id in capitals, as Git reads it, is right', () => {
    const of = subject();
    const main = of.text('refs/heads/main').trim();
    of.put('refs/remotes/origin/main', `${main.toUpperCase()}\n`);
    of.put('refs/remotes/origin/HEAD', 'ref: refs/remotes/origin/main\n');
    of.put('refs/heads/mine', 'ref: HEAD\n');
    expect(fsck(of.store)).toBe('');
    expect(found(of, true)).toEqual([]);
  });

  test('and is a branch of no commit is named', () => {
    const of = subject();
    const tree = of.git('rev-parse', 'main^{tree}').trim();
    of.put('refs/heads/mine', `${tree}\n`);
    expect(found(of)).toEqual([
      ['refs/heads/mine', `it names ${tree}, which is a tree and no commit`, expect.any(String)],
    ]);
    of.git('update-ref', 'refs/tags/mine', tree);
    of.git('update-ref', '-d', 'refs/heads/mine');
    expect([found(of, true), fsck(of.store)]).toEqual([[], '']);
  });

  test('is followed to its end by the full check', () => {
    const of = subject();
    const blob = of.repository.objects.write('blob', Buffer.from('of mine'));
    const tree = of.repository.objects.write(
      'tree',
      Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(blob, 'hex')]),
    );
    of.git('update-ref', 'refs/tags/mine', of.git('commit-tree', '-m', 'mine', tree).trim());
    expect(found(of, true)).toEqual([]);
    rmSync(loosePath(join(of.store, 'objects'), blob));
    expect(fsck(of.store)).toContain(`missing blob ${blob}`);
    expect(found(of, true)).toEqual([
      [blob, `it is missing from the store, and tree ${tree} needs it`, expect.stringMatching(/^Fetch it/)],
    ]);
  });
});

test('a pack that Git alone takes for one, and an index of files, are set aside where they are torn', async () => {
  const of = subject();
  for (const text of ['', 'junk']) {
    for (const name of ['objects/pack/pack-foo.pack', 'objects/pack/pack-foo.idx', 'index']) of.put(name, text);
    expect(fsck(of.store)).not.toBe('');
    expect(found(of).map(([where]) => where)).toEqual(['objects/pack/pack-foo.idx', 'index']);
    expect(await isMended(of)).toContainEqual(expect.stringMatching(/^Set index aside in lost\//));
    for (const name of ['objects/pack/pack-foo.pack', 'objects/pack/pack-foo.idx', 'index'])
      expect([existsSync(join(of.store, name)), of.kept(name).includes(text)]).toEqual([false, true]);
  }
});
