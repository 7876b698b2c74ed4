// `ctx forget` as it is typed: what it tells, what it asks, what it refuses, and that looking changes nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodePlan } from '../../src/history/forget/plan-file.ts';
import type { Plan } from '../../src/history/forget/planned.ts';
import { openRepository } from '../../src/history/store/repository.ts';
import { onTerminal, opener } from '../strangers/pty.ts';
import { fingerprint, folder, fsck, type Repo, session, write } from '../support/cli.ts';
import { tracesOf } from '../support/traces.ts';

const SECRET = 'the combination is 12-34-56';

function told(): Repo {
  const repo = session();
  repo.run(['observe', 'note', `Remember: ${SECRET}`, '--flush']);
  repo.write('notes.txt', `${SECRET}\n`);
  repo.run(['observe', 'write', 'notes.txt']);
  return repo;
}

/** A store in which a forgetting was killed when its plan had just been written, and had nothing to do. */
function cutOff(): Repo {
  const repo = told();
  const repository = openRepository({ directory: repo.dir });
  const nothing = { refs: [], packed: [], ends: [], files: [], remove: [], objects: [] };
  const id = '01a216d2-2eb3-7649-8000-71750d4c5a48';
  repo.write('.ctx/forgetting/plan.json', encodePlan(repository, { version: 1, id, at: 1, ...nothing } as Plan));
  return repo;
}

describe('a forgetting that was killed once it had begun', () => {
  it.each([
    [['observe', 'note', 'x']],
    [['observe', 'command', '--exit-code', '0', '--', 'ls']],
    [['observe', 'relate', 'file:a', 'Imports', 'file:b']],
    [['observe', 'batch']],
  ])('is finished before anything is taken in: %j', (line) => {
    const repo = cutOff();
    expect(repo.run(line, { input: '{"kind":"note","content":"x"}\n' }).code).toBe(0);
    expect(existsSync(join(repo.store, 'forgetting'))).toBe(false);
    fsck(repo.dir);
  });

  it('is reported if the same one finds nothing more', () => {
    expect(cutOff().refused(['forget', '--text', 'nowhere to be found', '--yes'])).toMatchObject({
      exit: 1,
      hint: 'Finished a forgetting, which had been cut off. What it had to forget is gone.',
    });
  });
});

describe('ctx forget', () => {
  it('prints with --dry-run what it would do, and changes nothing', () => {
    const repo = told();
    const before = fingerprint(repo.store);
    const ran = repo.run(['forget', '--text', '-', '--dry-run'], { input: `${SECRET}\n` });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Forgetting a text would mean:\n {2}\d+ records without it\n/);
    expect(ran.stdout).toMatch(/Out of reach:\n/);
    expect(ran.stdout + ran.stderr).not.toContain(SECRET);
    expect(ran.stderr).toMatch(/^hint: Nothing was changed/);
    expect(fingerprint(repo.store)).toEqual(before);
  });

  it('is refused where nobody can be asked and nobody said yes', () => {
    const repo = told();
    const before = fingerprint(repo.store);
    const ran = repo.run(['forget', '--text', SECRET]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toBe(
      'error: Forgetting cannot be undone, and there is no terminal to ask on.\n' +
        'hint: Nothing was changed. See what would go with --dry-run; to go through with it without being asked, add --yes.\n',
    );
    expect(fingerprint(repo.store)).toEqual(before);
    expect(repo.refused(['forget', '--text', SECRET]).code).toBe('invalid_input');
  });

  it('does it with --yes, from standard input, and prints it as JSON', () => {
    const repo = told();
    const result = repo.json<Record<string, unknown>>(['forget', '--text', '-', '--yes'], { input: `${SECRET}\r\n` });
    expect(result).toMatchObject({ dry_run: false, what: 'text', steps: 1, pending_files: 2, files: [] });
    expect(result['unreachable']).toContain("The agent's own files.");
    expect(tracesOf(repo.store, SECRET)).toEqual([]);
    fsck(repo.dir);
    expect(repo.run(['stage', 'flush']).code).toBe(0);
    expect(repo.run(['observe', 'note', SECRET, '--flush']).code).toBe(0);
    expect(tracesOf(repo.store, SECRET)).toEqual([]);
    expect(repo.run(['op', 'log']).stdout).toContain(' forget\n');
    expect(repo.refused(['forget', '--text', SECRET, '--yes'])).toMatchObject({ code: 'not_found', exit: 1 });
  });

  it('names remotes, and files of the user that hold it', () => {
    const repo = told();
    repo.git('remote', 'add', 'backup', 'https://me:hunter2@example.org/memory.git');
    repo.write('.ctx/settings.json', JSON.stringify({ auto_compact_message_template: SECRET }));
    expect(repo.run(['forget', '--text', SECRET, '--dry-run']).code).toBe(0);
    const { stdout, code } = repo.run(['forget', '--text', SECRET, '--yes']);
    expect(code).toBe(1);
    expect(stdout).toContain('backup (https://example.org/memory.git)');
    expect(stdout).toContain('settings.json in this store holds it');
    expect(tracesOf(repo.store, SECRET)).toEqual(['settings.json']);
  });

  it('names a lock that holds it, and ends with 1 though all else was done', () => {
    const repo = told();
    repo.write('.ctx/refs/heads/main.lock', SECRET);
    const result = repo.json<{ left: string[] }>(['forget', '--text', SECRET, '--yes'], { exit: 1 });
    expect(result.left).toEqual(['refs/heads/main.lock']);
    expect(tracesOf(repo.store, SECRET)).toEqual(['refs/heads/main.lock']);
    const again = repo.refused(['forget', '--text', SECRET, '--yes']);
    expect(again).toMatchObject({
      code: 'not_found',
      exit: 1,
      message: expect.stringContaining('refs/heads/main.lock'),
    });
    expect(again.hint).toContain('A lock only once nobody is at work on the store.');
  });

  it('says of what is no content of its own that ctx makes it of records', () => {
    const repo = session('x'.repeat(9000));
    repo.run(['observe', 'read', write(join(folder(), 'outside.txt'), 'abc')]);
    repo.run(['stage', 'flush']);
    const entries = repo.git('ls-tree', '-r', 'STAGE:payload').trim().split('\n');
    const oidOf = (name: RegExp): string => entries.find((entry) => name.test(entry))?.split(/\s/)[2] as string;
    for (const oid of [oidOf(/\tpaths\//), oidOf(/\tsession-task_description$/)]) {
      const refused = repo.refused(['forget', oid, '--yes']);
      expect(refused).toMatchObject({ code: 'invalid_input', exit: 1 });
      expect(refused.message).toBe(`${oid} is a document that ctx makes of records.`);
      expect(refused.hint).toContain('Name the record, the step or the session instead');
    }
  });

  it('finds what goes by a pattern, and by a rule', () => {
    const repo = told();
    const sample = repo.json<{ what: string }>(['forget', '--pattern', '[0-9]{2}-[0-9]{2}-[0-9]{2}', '--dry-run']);
    expect(sample).toMatchObject({ what: 'pattern', steps: 1, pending_files: 2 });
    expect(repo.refused(['forget', '--pattern', '(a+)+$', '--yes'])).toMatchObject({ code: 'invalid_input', exit: 1 });
    expect(repo.refused(['forget', '--rule', 'github-token', '--yes'])).toMatchObject({ code: 'not_found', exit: 1 });
  });

  it('is in the operation log with what it was', () => {
    const repo = told();
    repo.run(['forget', '--text', '-', '--yes'], { input: SECRET });
    const [first, second] = repo.run(['op', 'log', '-n', '2']).stdout.split('\n');
    expect(first).toMatch(/ forget$/);
    expect(second).toMatch(/^ {4}forget a text: \d+ steps?, 0 canonical commits, \d+ objects$/);
  });

  it('names what it forgets, and prints nothing of a text', () => {
    const repo = told();
    const would = (...words: string[]): string =>
      repo.run(['forget', ...words, '--dry-run']).stdout.split('\n')[0] as string;
    const shown = repo.json<{
      oid: string;
      session_id: string;
      steps: { oid: string; observations: { id: string }[] }[];
    }>(['show', 'STAGE']);
    const id = shown.session_id;
    const step = shown.steps.at(-1);
    const record = step?.observations[0]?.id as string;
    // As much of it as no other id of the same millisecond has.
    expect(would(id.slice(0, 30))).toMatch(
      new RegExp(`^Forgetting the session ${id} \\(".+", begun 2\\d{3}-.+Z\\) would mean:$`),
    );
    expect(would(record)).toMatch(
      new RegExp(`^Forgetting the note ${record} \\(2\\d{3}-.+Z, step \\d+ of session ${id}\\) would mean:$`),
    );
    expect(would(step?.oid.slice(0, 10) as string)).toMatch(
      new RegExp(`^Forgetting the step ${step?.oid} \\(number \\d+ of session ${id}, 1 record\\) would mean:$`),
    );
    const waits = repo.json<{ records: string[] }>(['observe', 'plan', 'a plan that waits']).records[0] as string;
    expect(would(waits)).toMatch(new RegExp(`^Forgetting the plan ${waits} \\(2.+Z, waiting, of session ${id}\\) `));
    repo.run(['stage', 'flush']);
    const oid = repo.git('rev-parse', `refs/sessions/${id}:files/notes.txt`).trim();
    expect(would(oid)).toBe(`Forgetting the content ${oid} (28 bytes) would mean:`);
    expect(would('--text', SECRET)).toBe('Forgetting a text would mean:');
    expect(would('--pattern', '[0-9]{2}-[0-9]{2}-[0-9]{2}')).toBe(
      'Forgetting 1 text that the pattern matches would mean:',
    );
    const result = repo.run(['forget', record, '--yes']);
    expect(result.stdout.split('\n')[0]).toMatch(new RegExp(`^Forgot the note ${record} \\(.+\\) at 2`));
    expect(repo.json(['forget', id, '--yes'])).toMatchObject({ what: 'session', victim: expect.stringContaining(id) });
  });

  it('leaves tombstones that tell what went and when', () => {
    const repo = told();
    const day = '2\\d{3}-\\d\\d-\\d\\d';
    const { session_id: id } = repo.json<{ session_id: string }>(['show', 'STAGE']);
    const note = repo.json<{ records: string[] }>(['observe', 'note', 'a note that goes', '--flush'])
      .records[0] as string;
    repo.run(['forget', note, '--yes']);
    expect(repo.run(['show', id, '--steps']).stdout).toMatch(new RegExp(`^  forgotten: a note, on ${day}$`, 'm'));
    repo.run(['stage', 'compact']);
    repo.run(['forget', id, '--yes']);
    const shown = repo.run(['show', id, '--steps']).stdout;
    expect(shown).toMatch(new RegExp(`^  forgotten: a session of \\d+ steps and \\d+ records, on ${day}$`, 'm'));
    expect(shown).toMatch(new RegExp(`^Forgotten: on ${day}$`, 'm'));
    const canonical = repo.run(['show', 'main']).stdout;
    expect(canonical).toMatch(new RegExp(`^Forgotten: on ${day}$`, 'm'));
    expect(shown + canonical).not.toMatch(/ $/m);
    expect(repo.json(['show', 'main'])).toMatchObject({ forgotten_at: expect.any(Number) });
  });

  it('takes ids alone, for a name moves', () => {
    const repo = told();
    const before = fingerprint(repo.store);
    const id = repo.json<{ session_id: string }>(['show', 'STAGE']).session_id;
    for (const name of ['STAGE', 'STAGE~1', `refs/sessions/${id}`]) {
      const refused = repo.refused(['forget', name, '--yes']);
      expect(refused).toMatchObject({ code: 'invalid_input', exit: 1 });
      expect(refused.hint).toMatch(
        name.includes('~') ? /: ctx forget [0-9a-f]{40}$/ : new RegExp(`: ctx forget ${id}$`),
      );
    }
    expect(repo.refused(['forget', 'main', '--yes'])).toMatchObject({ code: 'invalid_input', exit: 1 });
    expect(fingerprint(repo.store)).toEqual(before);
    repo.run(['stage', 'compact']);
    expect(repo.refused(['forget', 'main', '--yes']).hint).toContain(`: ctx forget ${id}`);
  });

  it('prints what is wrong with what it is given before it asks', () => {
    const repo = told();
    expect(repo.refused(['forget', '01234567'])).toMatchObject({ code: 'not_found', exit: 1 });
    expect(repo.run(['forget', '--text', 'abc']).stderr).toContain('shorter than 6');
    expect(repo.run(['forget', '--text', '-'], { input: '' }).stderr).not.toContain('terminal');
  });

  it('takes one thing at a time', () => {
    const repo = told();
    expect(repo.refused(['forget', '--yes'])).toMatchObject({ code: 'usage', exit: 2 });
    expect(repo.refused(['forget', 'abcdefgh', '--text', SECRET, '--yes'])).toMatchObject({ code: 'usage', exit: 2 });
    expect(repo.refused(['forget', '01234567', '--yes'])).toMatchObject({ code: 'not_found', exit: 1 });
  });

  it.skipIf(!opener)('asks on a terminal, and takes no answer for no', () => {
    const repo = told();
    const { text, codes } = onTerminal([['forget', '--text', SECRET]], { cwd: repo.dir });
    expect(text).toContain('Forgetting a text would mean:');
    expect(text).toContain('This cannot be undone. Forget it? [y/N]');
    expect(text).toContain('Nothing was forgotten.');
    expect(codes).toEqual([1]);
    expect(tracesOf(repo.store, SECRET)).not.toEqual([]);
    const again = onTerminal([['forget', '--text', SECRET]], { cwd: repo.dir, input: 'yes\n' });
    expect(again.text).toContain('Forgot a text at');
    expect(again.codes, again.text).toEqual([0]);
    expect(tracesOf(repo.store, SECRET)).toEqual([]);
  });
});
