// Chains and histories that lie: whatever a stranger's commits say, no command fails in a way it should not, and fsck names the lie.
import { rmSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { expectHarmless, type Lived, LOOKS, livedIn, picture, WRITES, watchMany } from './support.ts';
import { Victim } from './victim.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const MAIN = 'refs/heads/main';

/** Replaces the head of a ref by one like it whose text is changed. */
function rewrite(victim: Victim, ref: string, change: (text: string) => string): void {
  const text = change(`${victim.git('cat-file', 'commit', ref)}\n`);
  victim.write(ref, `${victim.object('commit', Buffer.from(text))}\n`);
}

/** Replaces the session.json of a ref's head. */
function resay(victim: Victim, change: (document: Record<string, unknown>) => void): void {
  const document = JSON.parse(victim.git('show', `${victim.session}:session.json`)) as Record<string, unknown>;
  change(document);
  const blob = victim.object('blob', Buffer.from(`${JSON.stringify(document)}\n`));
  victim.commit(victim.session, victim.withEntry(victim.session, 'session.json', '100644', blob));
}

const archive = (): string => `refs/archive/${lived.archived}`;

const LIES: [name: string, tell: (victim: Victim) => void][] = [
  [
    'a step with the number of another',
    (v) => rewrite(v, v.session, (text) => text.replace(/Ctx-Step: \d+/, 'Ctx-Step: 1')),
  ],
  ['a step with no number', (v) => rewrite(v, v.session, (text) => text.replace(/Ctx-Step: \d+\n/, ''))],
  [
    'a step with a number beyond all',
    (v) => rewrite(v, v.session, (text) => text.replace(/Ctx-Step: \d+/, 'Ctx-Step: 9007199254740993')),
  ],
  [
    'a step of another session by its trailers',
    (v) => rewrite(v, v.session, (text) => text.replace(/Ctx-Session: .*/, `Ctx-Session: ${lived.archived}`)),
  ],
  [
    'a step in another state by its trailers',
    (v) => rewrite(v, v.session, (text) => text.replace(/Ctx-State: .*/, 'Ctx-State: Complete')),
  ],
  ['a step without a parent', (v) => rewrite(v, v.session, (text) => text.replace(/parent .*\n/, ''))],
  [
    'a step whose parent is the main line',
    (v) => rewrite(v, v.session, (text) => text.replace(/parent .*/, `parent ${v.git('rev-parse', 'main')}`)),
  ],
  [
    'a step whose parent is a tree',
    (v) => rewrite(v, v.session, (text) => text.replace(/parent .*/, `parent ${v.git('rev-parse', 'main^{tree}')}`)),
  ],
  [
    'a session.json of another session',
    (v) => resay(v, (document) => Object.assign(document, { session_id: lived.archived })),
  ],
  [
    'a session.json whose id leads out',
    (v) => resay(v, (document) => Object.assign(document, { session_id: '../../../../x' })),
  ],
  [
    'a session.json whose base is no ancestor',
    (v) => resay(v, (document) => Object.assign(document, { base: v.git('rev-parse', archive()) })),
  ],
  [
    'a session.json whose base is not there',
    (v) => resay(v, (document) => Object.assign(document, { base: 'ab'.repeat(20) })),
  ],
  [
    'a session.json in a state that does not exist',
    (v) => resay(v, (document) => Object.assign(document, { session_state: { kind: '__proto__' } })),
  ],
  [
    'a session.json with counts from nowhere',
    (v) => resay(v, (document) => Object.assign(document, { counts: { records: -1, files: 1e308 }, step: 1e15 })),
  ],
  [
    'a session.json with payloads that lead out',
    (v) =>
      resay(v, (document) =>
        Object.assign(document, {
          task_description: { preview: 'x', bytes: 1, sha256: 'a', payload: '../../../../canary.txt' },
        }),
      ),
  ],
  ['a session that is the archive of another', (v) => v.write(v.session, `${v.git('rev-parse', archive())}\n`)],
  ['a session that is the main line', (v) => v.write(v.session, `${v.git('rev-parse', 'main')}\n`)],
  ['a session that is a blob', (v) => v.write(v.session, `${v.git('rev-parse', 'main:session.json')}\n`)],
  ['a main line that is a session', (v) => v.write(MAIN, `${v.git('rev-parse', v.session)}\n`)],
  ['a main line that is a tree', (v) => v.write(MAIN, `${v.git('rev-parse', 'main^{tree}')}\n`)],
  [
    'a saved commit that says it is the root',
    (v) => rewrite(v, MAIN, (text) => text.replace(/Ctx-Type: .*/, 'Ctx-Type: Root')),
  ],
  [
    'a saved commit of a type that does not exist',
    (v) => rewrite(v, MAIN, (text) => text.replace(/Ctx-Type: .*/, 'Ctx-Type: toString')),
  ],
  [
    'a saved commit with trailers of another',
    (v) => rewrite(v, MAIN, (text) => `${text}Ctx-Session: forged\nCtx-Steps: -1\nCtx-Idle-Seconds: x\n`),
  ],
  [
    'a saved commit whose chain is not there',
    (v) =>
      rewrite(v, MAIN, (text) =>
        text
          .replace(/Ctx-Work: .*/, `Ctx-Work: ${'cd'.repeat(20)}`)
          .replace(/Ctx-Session: .*/, 'Ctx-Session: 00000000-x'),
      ),
  ],
];

test.each(LIES)('%s', async (_name, tell) => {
  const victim = new Victim(lived);
  tell(victim);
  const outside = (): Record<string, string> => picture(victim.outer, (path) => path === 'project/.ctx');
  const before = outside();
  const checked = await watchMany([['fsck']], { cwd: victim.dir });
  expect(checked.ran[0]?.code, checked.stdout).toBe(5);
  expect(checked.stdout).toMatch(/^damage /m);
  const lines = [...LOOKS, ...WRITES];
  tellCases(lines.length);
  expectHarmless(await watchMany(lines, { cwd: victim.dir }), lines);
  expect(outside()).toEqual(before);
  rmSync(victim.outer, { recursive: true, force: true });
});
