// A transcript that is taken in as it grows moves its session as it does at once, whatever was told in between.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withPendingFlushed } from '../../src/app/session/flush.ts';
import { findSource } from '../../src/app/transcript/source.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project } from '../support/store.ts';

const at = (minute: number): string => `2026-01-22T00:${String(minute).padStart(2, '0')}:00.000Z`;
const line = (value: object): string => `${JSON.stringify({ sessionId: 's', cwd: '/project', ...value })}\n`;
const said = (role: string, uuid: string, parentUuid: string | null, minute: number, text: string): string =>
  line({
    ...{ type: role, uuid, parentUuid, timestamp: at(minute) },
    message:
      role === 'user'
        ? { role, content: text }
        : { role, id: uuid, stop_reason: 'end_turn', content: [{ type: 'text', text }] },
  });

/** Before what is noted here the clock of the machine was set back. */
const SET_BACK = [
  said('user', 'e', 'd', 3, 'Push it, then write the docs'),
  said('assistant', 'f', 'e', 4, 'The docs are written.'),
  said('user', 'g', 'f', 5, 'Remove the old API'),
  said('assistant', 'h', 'g', 6, 'May I really delete it?'),
];

const FIRST = [said('user', 'a', null, 0, 'Watch the build'), said('assistant', 'b', 'a', 1, 'Waiting for the build.')];
const NEXT = [
  said('user', 'c', 'b', 2, 'Go on and fix the tests'),
  said('assistant', 'd', 'c', 10, 'Shall I push it to main?'),
];
/** Line of the program itself before it writes a message that came earlier. */
const NOTED = line({ type: 'queue-operation', operation: 'enqueue', timestamp: at(9), content: 'x' });

/** A session as the parts of a transcript have left it, taken in one after the other. */
function takenIn(parts: readonly string[], between: (project: Project) => void = () => undefined): unknown[] {
  const project = makeProject();
  const file = join(project.folder, 'transcript.jsonl');
  let session = '';
  for (const [index] of parts.entries()) {
    writeFileSync(file, parts.slice(0, index + 1).join(''));
    session = ctx.ingestTranscript(project.open(), file).session_id;
    if (index < parts.length - 1) between({ ...project, repository: project.open({ session }) });
  }
  const { objects, refs } = project.open();
  return [...readSteps(objects, refs.read(sessionRef(session)) as string, true)]
    .flatMap(({ records }) => records)
    .flatMap((record) => (record.kind === 'transition' ? [record['to']] : []));
}

describe('a transcript that has grown', () => {
  test.each<[string, readonly string[], ((project: Project) => void)?]>([
    ['by whole turns', [FIRST.join(''), NEXT.join('')]],
    ['line by line', [...FIRST, ...NEXT]],
    ['behind a record of the program that is later than the next message', [FIRST.join('') + NOTED, NEXT.join('')]],
    ['while the clock was set back', [FIRST.join(''), NEXT.join(''), ...SET_BACK]],
    ['while the clock was set back, by whole turns', [[...FIRST, ...NEXT].join(''), SET_BACK.join('')]],
    [
      'while the user has noted something down',
      [FIRST.join(''), NEXT.join('')],
      ({ repository, clock }) => {
        clock.now = Date.parse(at(30)) / 1000;
        ctx.observeNote(repository, 'I looked at it');
        ctx.flushStep(repository);
      },
    ],
  ])('%s moves its session as at once', (_how, parts, between) => {
    const moves = takenIn([parts.join('')]);
    expect(moves.at(-1)).toMatchObject({ kind: 'AwaitingUser' });
    expect(takenIn(parts, between)).toEqual(moves);
  });

  test('is read on from where somebody else has left off meanwhile', () => {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    writeFileSync(file, FIRST.join(''));
    const { agent, agent_session_id, session_id: session } = ctx.ingestTranscript(project.open(), file);
    const repository = project.open({ session });
    const found = findSource(repository, agent, agent_session_id);
    // A hook comes in between, and something waits to be flushed.
    writeFileSync(file, [...FIRST, ...NEXT].join(''));
    ctx.ingestTranscript(project.open(), file);
    ctx.observeNote(repository, 'I looked at it');
    const flushed = withPendingFlushed(repository, found);
    expect(flushed?.head).toBe(repository.refs.read(sessionRef(session)));
    expect(flushed?.source.offset).toBe(Buffer.byteLength([...FIRST, ...NEXT].join('')));
  });

  test('moves nothing that the user has moved since', () => {
    const moves = takenIn([FIRST.join(''), NEXT.join('')], ({ repository, clock }) => {
      clock.now = Date.parse(at(30)) / 1000;
      ctx.setState(repository, 'reopen', { text: 'There is more to do' });
    });
    expect(moves.at(-1)).toMatchObject({ kind: 'Running' });
  });

  test('continues after a state that the user has set since a part of it was taken in', () => {
    const parts = [FIRST.join(''), ...NEXT, said('user', 'e', 'd', 40, 'No'), said('assistant', 'f', 'e', 41, 'Done.')];
    let part = 0;
    const moves = takenIn(parts, ({ repository, clock }) => {
      part += 1;
      if (part > 1) return;
      clock.now = Date.parse(at(30)) / 1000;
      ctx.setState(repository, 'reopen', { text: 'There is more to do' });
    });
    expect(moves.map((move) => (move as { kind: string }).kind)).toEqual([
      'PendingComplete',
      'Running',
      'PendingComplete',
    ]);
  });
});
