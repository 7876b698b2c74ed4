// Steps that a session had and that are on no chain any more: fsck tells of them, and what to type.
import { execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

interface Scene extends Project {
  ref: string;
  head: () => string;
  flush: (note: string) => string;
}

function scene(): Scene {
  const project = makeProject();
  const { repository } = project;
  const ref = sessionRef(ctx.startSession(repository, 'a task').session_id);
  const head = (): string => project.git('rev-parse', ref).trim();
  const flush = (note: string): string => {
    ctx.observeNote(project.open(), note);
    ctx.flushStep(project.open());
    return head();
  };
  return { ...project, ref, head, flush };
}

const findings = (of: Project, full = false): unknown[] => checkStore(of.open(), { full }).findings;

const note = ({ ref }: Scene, step: string): unknown => ({
  severity: 'note',
  kind: 'chain',
  where: ref,
  message: `step ${step} is whole, and it named that once, but the session has continued without it`,
  hint: `Look at it with: ctx show ${step}. To keep it for good: git --git-dir=.ctx branch kept-${ref.slice(14)}-${step.slice(0, 8)} ${step}`,
});

test('what somebody went back from, and then on without: the last of it, until a branch keeps it', () => {
  const of = scene();
  const one = of.flush('one');
  of.flush('two');
  const three = of.flush('three');
  of.git('update-ref', of.ref, one);
  of.flush('another two');
  expect(findings(of)).toEqual([note(of, three)]);
  expect(checkStore(of.open(), { repair: true }).repaired).toEqual([]);
  const typed = / git (.*)$/.exec((findings(of)[0] as { hint: string }).hint)?.[1] ?? '';
  execSync(`git ${typed}`, { cwd: of.folder });
  expect([findings(of, true), fsck(of.store)]).toEqual([[], '']);
});

test('nothing is called so if the chain itself cannot be read: nobody can tell', () => {
  const of = scene();
  for (const text of ['one', 'two', 'three']) of.flush(text);
  rmSync(loosePath(of.repository.layout.objects, of.head()));
  expect(checkStore(of.open()).findings).toEqual([expect.objectContaining({ severity: 'damage', kind: 'pointer' })]);
});

test('what the operation log alone names: the ref and its reflog were put back', () => {
  const of = makeProject();
  const file = join(of.folder, 'transcript.jsonl');
  const lines = TRANSCRIPT.trim().split('\n');
  writeFileSync(file, `${lines[0]}\n`);
  const { session_id } = ctx.ingestTranscript(of.open(), file);
  const ref = sessionRef(session_id);
  const [value, log] = [ref, `logs/${ref}`].map((name) => readFileSync(join(of.store, name)));
  writeFileSync(file, TRANSCRIPT);
  ctx.ingestTranscript(of.open(), file);
  const ingested = of.git('rev-parse', ref).trim();
  writeFileSync(join(of.store, ref), value as Buffer);
  writeFileSync(join(of.store, 'logs', ref), log as Buffer);
  ctx.observeNote(of.open(), 'on');
  ctx.flushStep(of.open());
  expect(findings(of)).toMatchObject([{ severity: 'note', message: expect.stringContaining(ingested) }]);
});

test('what was gone when a repair went back, and is there again', () => {
  const of = scene();
  of.flush('one');
  const two = of.flush('two');
  const tree = of.git('rev-parse', `${two}^{tree}`).trim();
  const files = [two, tree].map((oid) => loosePath(of.repository.layout.objects, oid));
  const kept = files.map((file) => readFileSync(file));
  for (const file of files) rmSync(file);
  checkStore(of.open(), { repair: true });
  files.forEach((file, index) => {
    writeFileSync(file, kept[index] as Buffer);
  });
  expect(findings(of)).toMatchObject([
    {
      message: `step ${two} is whole, and it named that once, but the session has gone back behind it`,
      hint: `Look at it with: ctx show ${two}. To have it again: git --git-dir=.ctx update-ref ${of.ref} ${two}`,
    },
  ]);
  of.flush('another two');
  expect(findings(of)).toEqual([note(of, two)]);
});

test('what an undo took back is none', () => {
  const of = makeProject();
  const file = join(of.folder, 'transcript.jsonl');
  writeFileSync(file, `${TRANSCRIPT.trim().split('\n')[0]}\n`);
  ctx.ingestTranscript(of.open(), file);
  writeFileSync(file, TRANSCRIPT);
  ctx.ingestTranscript(of.open(), file);
  undoOperations(of.open());
  ctx.observeNote(of.open(), 'on');
  ctx.flushStep(of.open());
  expect(findings(of, true)).toEqual([]);
});
