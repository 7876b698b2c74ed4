/** Builds a store of many ended sessions through ctx's own internals: `tsx ended-store.ts <project> <sessions>`. A process of its own, so that the benchmark stays small. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initRepository } from '../src/app/init.ts';
import { prepareRecord } from '../src/app/session/records.ts';
import { newSession } from '../src/core/session/session.ts';
import { MAIN } from '../src/git/layout.ts';
import { inPack, type PackStore } from '../src/git/objects/bulk-pack.ts';
import { releasePacks } from '../src/git/objects/keep-file.ts';
import { withRefs } from '../src/git/refs/packed-refs.ts';
import type { PointerMove } from '../src/git/refs/pointer.ts';
import { writeCanonical } from '../src/history/chain/canonical.ts';
import { writeStep } from '../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../src/history/names/layout.ts';
import { encodeOperation, type Operation } from '../src/history/operations/operation.ts';
import { writeSegment } from '../src/history/operations/operation-fold.ts';
import { openRepository, type Repository } from '../src/history/store/repository.ts';
import { transact } from '../src/history/transaction.ts';
import { writeSettings } from './project.ts';

/** Number of sessions whose objects are in that one pack. */
const PACK = 2_500;
/** The last ones really begin and end: their files are as a store that is at work has them. */
const REAL = 10;
/** Operations in a segment, as ctx folds them. */
const SEGMENT = 64;

/** Pointers that a session moves when it begins and when it ends, the main line behind it. */
interface Life {
  begins: PointerMove[];
  ends: PointerMove[];
}

/** Writes what a session leaves: two steps and what they come to. */
function lifeOf(repository: Repository, objects: PackStore, main: string, count: number): Life {
  const at = repository.clock();
  const task = `Honour the Retry-After header, part ${count}`;
  const session = newSession(repository.ids(), task, 'claude-code', main, at);
  const record = prepareRecord(repository, objects, at, { body: { kind: 'task', content: task } });
  const first = writeStep(objects, { chain: null, session, records: [record], at });
  const note = { kind: 'note', content: `Decision ${count}: full jitter`, role: 'plain' } as const;
  const records = [prepareRecord(repository, objects, at, { body: note })];
  const last = writeStep(objects, { chain: first, session: first.session, records, at });
  const saved = writeCanonical(objects, { parent: main, chain: last, type: { kind: 'Normal' }, message: task, at });
  const [open, kept] = [sessionRef(session.session_id), archiveRef(session.session_id)];
  return {
    begins: [
      { pointer: open, old: null, new: last.head },
      { pointer: 'STAGE', old: null, new: open },
    ],
    ends: [
      { pointer: MAIN, old: main, new: saved },
      { pointer: kept, old: null, new: last.head },
      { pointer: 'STAGE', old: open, new: null },
      { pointer: open, old: last.head, new: null },
    ],
  };
}

/** Lets a session begin and end. */
function liveThrough(repository: Repository, { begins, ends }: Life): void {
  for (const [command, moves] of [
    ['stage start', begins],
    ['stage confirm', ends],
  ] as const)
    transact(repository, { command, message: command }, ({ move }) => {
      for (const { pointer, old, new: next } of moves) move(pointer, old, next);
    });
}

/** Puts in place what so many sessions have left by the time that ctx has folded their operations and packed their refs. */
function leaveBehind(repository: Repository, lives: readonly Life[], tip: string): void {
  const { layout } = repository;
  const at = repository.clock();
  const logs = join(layout.root, 'logs', 'refs');
  mkdirSync(join(logs, 'archive'), { recursive: true });
  mkdirSync(join(logs, 'heads'), { recursive: true });
  const line = ({ old, new: next }: PointerMove): string =>
    `${old ?? '0'.repeat(40)} ${next} ctx <ctx@localhost> ${at} +0000\tstage confirm\n`;
  const packed = new Map<string, string>();
  const operations: string[] = [];
  for (const { begins, ends } of lives) {
    for (const [command, moves] of [
      ['stage start', begins],
      ['stage confirm', ends],
    ] as const) {
      const stage = moves.find(({ pointer }) => pointer === 'STAGE')?.new ?? null;
      const operation: Operation = { version: 1, id: repository.ids(), at, command, message: command, stage, moves };
      operations.push(encodeOperation(operation).trimEnd());
    }
    const [main, kept] = ends as [PointerMove, PointerMove];
    appendFileSync(join(logs, 'heads', 'main'), line(main), { mode: 0o600 });
    writeFileSync(join(layout.root, 'logs', kept.pointer), line(kept), { mode: 0o600 });
    packed.set(kept.pointer, kept.new as string);
  }
  for (let begin = 0; begin < operations.length; begin += SEGMENT)
    writeSegment(repository, operations.slice(begin, begin + SEGMENT));
  writeFileSync(layout.packedRefs, withRefs('', packed), { mode: 0o600 });
  writeFileSync(join(layout.root, MAIN), `${tip}\n`, { mode: 0o600 });
}

function buildStore(project: string, sessions: number): void {
  initRepository({ directory: project });
  writeSettings(project, { fsync: false });
  const repository = openRepository({ directory: project });
  let main = repository.refs.read(MAIN) ?? '';
  const lives: Life[] = [];
  while (lives.length < sessions)
    inPack(repository, (objects) => {
      const most = Math.min(lives.length + PACK, sessions);
      while (lives.length < most) {
        const life = lifeOf({ ...repository, objects }, objects, main, lives.length);
        main = life.ends[0]?.new ?? main;
        lives.push(life);
      }
      objects.publish();
      releasePacks(objects.kept());
    });
  const older = lives.slice(0, -REAL);
  const tip = older.at(-1)?.ends[0]?.new;
  if (tip) leaveBehind(repository, older, tip);
  const opened = openRepository({ directory: project });
  for (const life of lives.slice(-REAL)) liveThrough(opened, life);
}

const [project = '', sessions] = process.argv.slice(2);
buildStore(project, Number(sessions));
