// `rewind --world` with a host that takes and restores snapshots of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { trust } from '../../src/history/store/trust.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const ids = (repository: ctx.Repository): string => [...ctx.readConversation(repository)].map(({ id }) => id).join(' ');

test('a host may give its own snapshot, and is asked to restore it', () => {
  const project = makeProject();
  const [log, program] = [join(project.folder, 'log'), join(project.folder, 'host.sh')];
  writeFileSync(program, `#!/bin/sh\ncat >>'${log}'\necho '{"snapshot_id":"vm-7"}'\n`, { mode: 0o755 });
  writeFileSync(join(project.store, 'settings.json'), JSON.stringify({ snapshots: { command: [program] } }));
  const repository = project.open();
  trust(repository, true);
  ctx.startSession(repository, 'the task');
  const message = ctx.appendMessage(
    repository,
    { id: 'u', parts: [{ type: 'text', text: 'Hello' }] },
    { role: 'user' },
  );
  expect([...ctx.readConversation(repository)][0]?.metadata?.snapshot_id).toBe('vm-7');
  const { world } = ctx.rewind(repository, message.message_id, { scope: 'world' });
  expect(world).toMatchObject({ snapshot_id: 'vm-7', by: 'host' });
  const asked = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(asked).toMatchObject([
    { hook: 'message.user', message_id: 'u', text: 'Hello' },
    { hook: 'rewind', snapshot_id: 'vm-7' },
  ]);
});

/** A project with a host that keeps what it restores in a file, and names a snapshot of what was there before. */
function hosted(answer: string): Project & { now: () => string; asked: () => string[] } {
  const project = makeProject();
  const [log, now, program] = ['log', 'now', 'host.cjs'].map((name) => join(project.folder, name)) as [
    string,
    string,
    string,
  ];
  const script = `#!${process.execPath}
const fs = require('fs');
const asked = JSON.parse(fs.readFileSync(0, 'utf8'));
const before = fs.existsSync('${now}') ? fs.readFileSync('${now}', 'utf8') : 'none';
fs.appendFileSync('${log}', asked.hook + ' ' + (asked.snapshot_id ?? '') + '\\n');
if (asked.hook === 'rewind') fs.writeFileSync('${now}', asked.snapshot_id);
console.log(${answer});
`;
  writeFileSync(program, script, { mode: 0o755 });
  writeFileSync(join(project.store, 'settings.json'), JSON.stringify({ snapshots: { command: [program] } }));
  trust(project.open(), true);
  writeFileSync(now, 'today');
  return {
    ...project,
    repository: project.open(),
    now: () => readFileSync(now, 'utf8'),
    asked: () => readFileSync(log, 'utf8').trim().split('\n'),
  };
}

const SAID = "JSON.stringify({ snapshot_id: asked.hook === 'rewind' ? before : 'vm-' + asked.message_id })";

test.each(['world', 'both'] as const)(
  'a host brings back what was there before a rewind of %s: unrewind, undo, and undo of that',
  (scope) => {
    const { repository, now, asked, store } = hosted(SAID);
    ctx.startSession(repository, 'the task');
    for (const id of ['u1', 'u2'])
      ctx.appendMessage(repository, { id, parts: [{ type: 'text', text: id }] }, { role: 'user' });
    expect(ctx.rewind(repository, 'u1', { scope, dryRun: true }).world).toMatchObject({ by: 'host', kept: null });
    expect(now()).toBe('today');
    expect(ctx.rewind(repository, 'u1', { scope }).world).toEqual({
      snapshot_id: 'vm-u1',
      by: 'host',
      kept: 'today',
      restored: [],
      left: [],
    });
    expect(now()).toBe('vm-u1');
    expect(ctx.unrewind(repository).world).toMatchObject({ snapshot_id: 'today', by: 'host', kept: 'vm-u1' });
    expect(now()).toBe('today');
    expect(undoOperations(repository).world).toMatchObject({ snapshot_id: 'vm-u1', by: 'host' });
    expect(now()).toBe('vm-u1');
    undoOperations(repository);
    expect(now()).toBe('today');
    expect(asked().length).toBe(6);
    expect(ids(repository)).toBe('u1 u2');
    expect(fsck(store)).toBe('');
  },
);

test('a host that names no snapshot of before leaves its files at an unrewind and an undo, which say so', () => {
  const { repository, now } = hosted("asked.hook === 'rewind' ? '' : JSON.stringify({ snapshot_id: 'vm-1' })");
  ctx.startSession(repository, 'the task');
  ctx.appendMessage(repository, { id: 'u1', parts: [{ type: 'text', text: 'one' }] }, { role: 'user' });
  ctx.rewind(repository, 'u1', { scope: 'world' });
  ctx.appendMessage(repository, { id: 'u2', parts: [{ type: 'text', text: 'two' }] }, { role: 'user' });
  const said = 'The files stay as they are: the host has named no snapshot of what was there before vm-1.';
  expect(ctx.unrewind(repository).world).toBeNull();
  expect(repository.notices.splice(0)).toContain(said);
  expect(ids(repository)).toBe('u1 u2');
  expect(now()).toBe('vm-1');
  ctx.rewind(repository, 'u1', { scope: 'both' });
  undoOperations(repository);
  expect(repository.notices.splice(0)).toContain(said);
  expect(ids(repository)).toBe('u1 u2');
});

test('a host that fails leaves the conversation as it was', () => {
  const { repository } = hosted("asked.hook === 'rewind' ? 'no JSON' : JSON.stringify({ snapshot_id: 'vm-1' })");
  ctx.startSession(repository, 'the task');
  for (const id of ['u1', 'u2'])
    ctx.appendMessage(repository, { id, parts: [{ type: 'text', text: id }] }, { role: 'user' });
  expect(errorOf(() => ctx.rewind(repository, 'u1', { scope: 'both' }))).toMatchObject({ code: 'io' });
  expect(ids(repository)).toBe('u1 u2');
});
