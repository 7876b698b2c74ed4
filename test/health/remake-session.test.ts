// A session.json that alone is lost: a repair makes the very same one anew, of what stood before it and of the step's records.
import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { FETCH } from '../../src/core/errors.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

const LONG = 'Which of the two retries? '.repeat(400);

interface Subject extends Project {
  ref: string;
  /** The steps, first to last. */
  steps: string[];
  objectOf: (step: string) => string;
}

/** A session with an agent, whose steps hold files, notes, a long question, and nothing at all. */
function subject(agent?: string): Subject {
  const project = makeProject();
  const { repository, git, folder, clock } = project;
  const { session_id } = ctx.startSession(repository, 'Retry uploads', { agent });
  for (const name of ['a.txt', 'b.txt']) {
    writeFileSync(`${folder}/${name}`, name);
    ctx.observeFileWrite(repository, `${folder}/${name}`);
  }
  ctx.observeNote(repository, 'as the client does');
  clock.now += 60;
  ctx.flushStep(repository);
  writeFileSync(`${folder}/a.txt`, 'again');
  ctx.observeFileWrite(repository, `${folder}/a.txt`);
  clock.now += 60;
  ctx.flushStep(repository);
  ctx.setState(repository, 'ask', { text: LONG });
  const ref = sessionRef(session_id);
  const steps = git('rev-list', '--reverse', ref, '^main').trim().split('\n');
  const objectOf = (step: string): string =>
    loosePath(repository.layout.objects, git('rev-parse', `${step}:session.json`).trim());
  return { ...project, ref, steps, objectOf };
}

const told = (step: string | undefined, ref: string): string =>
  `Remade the lost session.json of step ${step} of ${ref} from the session before it and the step's own records.`;

test.each<[words: string, lost: number[], agent: string | undefined]>([
  ['of the head, with a long question', [3], 'claude-code'],
  ['of a step with files', [1], undefined],
  ['of a step with a file that was known', [2], undefined],
  ['of the first step', [0], undefined],
  ['of the first step, of an agent', [0], 'claude-code'],
  ['of all steps', [0, 1, 2, 3], 'codex'],
])('%s', (_words, lost, agent) => {
  const of = subject(agent);
  expect(of.steps).toHaveLength(4);
  const steps = lost.map((at) => of.steps[at] as string);
  for (const path of steps.map(of.objectOf)) rmSync(path);
  const hints = checkStore(of.open()).findings.map(({ hint }) => hint);
  expect(hints).toContain("ctx fsck --repair, which makes this session.json again from the step's records");
  const { repaired, findings } = checkStore(of.open(), { repair: true });
  expect(repaired).toEqual(steps.map((step) => told(step, of.ref)));
  expect(findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
  expect(ctx.sessionStatus(of.open())).toMatchObject({ session_state: { kind: 'AwaitingUser', question: LONG } });
});

test('one that is torn is set aside and made again, also of a session that is saved', () => {
  const of = subject();
  ctx.compactSession(of.open());
  const archive = archiveRef(of.ref.slice('refs/sessions/'.length));
  const head = of.git('rev-parse', archive).trim();
  writeFileSync(of.objectOf(head), 'torn');
  const { repaired, findings } = checkStore(of.open(), { repair: true });
  expect(repaired.at(-1)).toBe(told(head, archive));
  expect(findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
});

test('one of a head whose ref is torn too: the ref goes back no further than to it', () => {
  const of = subject();
  const head = of.steps.at(-1) as string;
  rmSync(of.objectOf(head));
  writeFileSync(`${of.store}/${of.ref}`, 'torn');
  expect(checkStore(of.open(), { repair: true }).findings).toEqual([]);
  expect(of.git('rev-parse', of.ref).trim()).toBe(head);
});

test('one that says what no record does is nobody’s to make: it is to be fetched', () => {
  const of = makeProject();
  const file = `${of.folder}/transcript.jsonl`;
  writeFileSync(file, TRANSCRIPT);
  const { session_id } = ctx.ingestTranscript(of.repository, file, { agent: 'claude-code' });
  const oid = of.git('rev-parse', `${sessionRef(session_id)}:session.json`).trim();
  rmSync(loosePath(of.repository.layout.objects, oid));
  const { repaired, findings } = checkStore(of.open(), { repair: true });
  expect(repaired).toEqual([]);
  for (const { hint } of findings) expect(hint).toBe(FETCH);
  expect(findings).not.toEqual([]);
});
