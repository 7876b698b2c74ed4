// `ctx init`: a store of a project, told to the Git repository around it or not.
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprint, folder, fsck, git, json, NOON, repository, run, seen, write } from '../support/cli.ts';

interface Made {
  path: string;
  created: boolean;
  excluded_in: string | null;
  linked_worktree: { path: string; main: string | null } | null;
}

/** A new Git repository with one commit in it. */
function gitProject(): string {
  const dir = folder('git-');
  git(dir, 'init', '--quiet', '--initial-branch=main');
  git(dir, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'one');
  return dir;
}

const excludes = (dir: string): string[] =>
  readFileSync(join(dir, '.git', 'info', 'exclude'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('.ctx'));

describe('a store', () => {
  test('is made in the working directory, and is a bare Git repository that Git finds nothing wrong with', () => {
    const dir = folder();
    expect(seen(run(['init'], { cwd: dir }))).toMatchInlineSnapshot(`
      "exit 0
      out| Made a ctx store in <dir>/.ctx"
    `);
    fsck(dir);
    expect(git(dir, '--git-dir=.ctx', 'rev-parse', '--is-bare-repository')).toBe('true\n');
    expect(
      git(dir, '--git-dir=.ctx', 'log', '--format=%s|%P|%T|%an <%ae>|%cn <%ce>|%(trailers:key=Ctx-Type)'),
    ).toMatchInlineSnapshot(`
        "Root of a ctx store||4b825dc642cb6eb9a060e54bf8d69288fbee4904|ctx <ctx@localhost>|ctx <ctx@localhost>|Ctx-Type: Root

        "
      `);
    expect(readFileSync(join(dir, '.ctx', 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
  });

  test("prints that settings which name a program lay there before, and may be anybody's", () => {
    const dir = folder();
    const settings = '{"classifier":{"command":["./theirs"]}}';
    write(join(dir, '.ctx', 'settings.json'), settings);
    expect(seen(run(['init'], { cwd: dir }))).toMatchInlineSnapshot(`
      "exit 0
      out| Made a ctx store in <dir>/.ctx
      out| Its settings.json lay there before, and may be somebody else's: the program that it names is not run
      err| hint: If they are yours: ctx init --trust"
    `);
    fsck(dir);
    // Now they lie in a store that was there before.
    expect(json<Made>(['init'], { cwd: dir })).not.toHaveProperty('program_found');
    const trusted = folder();
    write(join(trusted, '.ctx', 'settings.json'), settings);
    expect(json<Made>(['init', '--trust'], { cwd: trusted })).not.toHaveProperty('program_found');
    const harmless = folder();
    write(join(harmless, '.ctx', 'settings.json'), '{"fsync":false}');
    expect(json<Made>(['init'], { cwd: harmless })).not.toHaveProperty('program_found');
  });

  test('has in its config what Git must know, and nothing else', () => {
    const { git } = repository();
    expect(git('config', '--file', '.ctx/config', '--list')).toMatchInlineSnapshot(`
      "core.repositoryformatversion=0
      core.bare=true
      core.logallrefupdates=always
      core.sharedrepository=0600
      gc.auto=0
      gc.pruneexpire=never
      gc.reflogexpire=never
      gc.reflogexpireunreachable=never
      "
    `);
  });

  test('is the same in every project: two histories have their root in common', () => {
    const [a, b] = [repository({ now: NOON }), repository({ now: NOON + 99 })];
    expect(a.git('rev-parse', 'main')).toBe(b.git('rev-parse', 'main'));
  });

  test('is made in another folder, whose parents need not be there yet', () => {
    const dir = folder();
    expect(json<Made>(['init', 'a/b'], { cwd: dir })).toEqual({
      path: join(dir, 'a/b/.ctx'),
      created: true,
      excluded_in: null,
      linked_worktree: null,
    });
    fsck(join(dir, 'a/b'));
  });

  test('is made where -C leads, and where CTX_DIR says', () => {
    const dir = folder();
    mkdirSync(join(dir, 'sub'));
    expect(json<Made>(['-C', 'sub', 'init'], { cwd: dir }).path).toBe(join(dir, 'sub/.ctx'));
    const env = { CTX_DIR: join(dir, 'elsewhere') };
    expect(json<Made>(['init'], { cwd: dir, env }).path).toBe(join(dir, 'elsewhere'));
    expect(run(['stage', 'start', 'x'], { cwd: dir, env })).toMatchObject({ code: 0 });
    expect(git(dir, '--git-dir=elsewhere', 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('belongs to its user alone: nobody else may look into it', () => {
    const { store } = repository();
    for (const path of Object.keys(fingerprint(store)))
      expect([path, statSync(join(store, path)).mode & 0o077]).toEqual([path, 0]);
    expect(statSync(store).mode & 0o777).toBe(0o700);
  });

  test('is made once: again is harmless, also with a session under way', () => {
    const { store, run } = repository();
    run(['stage', 'start', 'A task']);
    run(['observe', 'note', 'waiting']);
    const before = fingerprint(store);
    expect(seen(run(['init']))).toMatchInlineSnapshot(`
      "exit 0
      out| The ctx store in <dir>/.ctx is there already"
    `);
    expect(fingerprint(store)).toEqual(before);
  });

  test('that has lost its config, or a main line with nothing on it, is repaired by init', () => {
    const { store, run, git } = repository();
    const root = git('rev-parse', 'main');
    rmSync(join(store, 'config'));
    expect(seen(run(['stage', 'status']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: This store cannot be used: it has no config (<dir>/.ctx/config).
      err| hint: Write it again with: ctx init"
    `);
    expect(run(['init'])).toMatchObject({ code: 0 });
    git('update-ref', '-d', 'refs/heads/main');
    expect(seen(run(['stage', 'start', 'x']))).toMatchInlineSnapshot(`
      "exit 5
      err| error: refs/heads/main is damaged: it is missing
      err| hint: Nothing was changed. Restore it with: ctx fsck --repair"
    `);
    expect(run(['init'])).toMatchObject({ code: 0 });
    expect(git('rev-parse', 'main')).toBe(root);
    expect(run(['stage', 'start', 'x'])).toMatchObject({ code: 0 });
  });

  test('cannot be made in what is a file', () => {
    const dir = folder();
    write(join(dir, 'file'), 'x');
    expect(seen(run(['init', 'file'], { cwd: dir }))).toMatchInlineSnapshot(`
      "exit 1
      err| error: Cannot make the folder <dir>/file/.ctx: ENOTDIR"
    `);
  });
});

describe('the Git repository around a store', () => {
  test('is asked once to leave it alone, and keeps what it was asked before', () => {
    const dir = gitProject();
    write(join(dir, '.git/info/exclude'), '*.log');
    expect(seen(run(['init'], { cwd: dir }))).toMatchInlineSnapshot(`
      "exit 0
      out| Made a ctx store in <dir>/.ctx
      out| Git leaves it alone (<dir>/.git/info/exclude)"
    `);
    run(['init'], { cwd: dir });
    expect(readFileSync(join(dir, '.git/info/exclude'), 'utf8')).toBe('*.log\n.ctx/\n');
    expect(git(dir, 'status', '--porcelain')).toBe('');
  });

  test('is left as it is if the store is to be tracked', () => {
    const dir = gitProject();
    expect(seen(run(['init', '--tracked'], { cwd: dir }))).toMatchInlineSnapshot(`
      "exit 0
      out| Made a ctx store in <dir>/.ctx"
    `);
    expect(excludes(dir)).toEqual([]);
    expect(git(dir, 'status', '--porcelain')).toBe('?? .ctx/\n');
  });

  test('is asked to ignore a store in a folder below it', () => {
    const dir = gitProject();
    const made = json<Made>(['init', 'packages/one'], { cwd: dir });
    expect(made.excluded_in).toBe(join(dir, '.git/info/exclude'));
    expect(git(dir, 'status', '--porcelain')).toBe('');
  });

  test('is asked in the place that its linked work trees share', () => {
    const dir = gitProject();
    const linked = join(folder(), 'linked');
    git(dir, 'worktree', 'add', '--quiet', linked);
    expect(json<Made>(['init'], { cwd: linked })).toEqual({
      path: join(linked, '.ctx'),
      created: true,
      excluded_in: join(dir, '.git/info/exclude'),
      linked_worktree: { path: linked, main: dir },
    });
    expect(git(linked, 'status', '--porcelain')).toBe('');
  });

  test('deletes it with a linked work tree: that is reported, and what to do', () => {
    const dir = gitProject();
    const linked = join(folder(), 'linked');
    git(dir, 'worktree', 'add', '--quiet', linked);
    const { stdout, stderr, code } = run(['init'], { cwd: linked });
    expect([code, stdout.split('\n').at(-2)]).toEqual([
      0,
      'The store lies in a linked worktree of Git, and goes with it: git worktree remove deletes what Git ignores, and says nothing.',
    ]);
    expect(stderr).toBe(
      [
        `hint: To keep one in the main worktree instead: ctx init ${dir} && export CTX_DIR=${join(dir, '.ctx')}\n`,
        'hint: To take it along before the worktree is removed: ctx flush; ctx git bundle create <file> --all\n',
      ].join(''),
    );
    // As it says: what is remembered with CTX_DIR stays, and a bundle brings back what was here.
    run(['stage', 'start', 'Here'], { cwd: linked });
    expect(run(['git', 'bundle', 'create', join(dir, 'bundle'), '--all'], { cwd: linked })).toMatchObject({ code: 0 });
    run(['init'], { cwd: dir });
    run(['stage', 'start', 'There'], { cwd: linked, env: { CTX_DIR: join(dir, '.ctx') } });
    git(dir, 'worktree', 'remove', linked);
    expect(json(['stage', 'status'], { cwd: dir })).toMatchObject({ task_description: 'There' });
    git(dir, '--git-dir=.ctx', 'fetch', '--quiet', 'bundle', '+refs/*:refs/restored/*');
    expect(
      git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(contents:subject)', 'refs/restored/sessions'),
    ).toContain('Step 1');
  });
});
