/** Builds a large store through ctx's own internals: `tsx growth-store.ts <project> <steps> <objects>`. A process of its own, so that the benchmark stays small. */

import { initRepository } from '../src/app/init.ts';
import { prepareRecord } from '../src/app/session/records.ts';
import { newSession } from '../src/core/session/session.ts';
import { MAIN } from '../src/git/layout.ts';
import { type BulkStore, bulkStore } from '../src/git/objects/bulk.ts';
import { type Chain, type StepRecord, writeStep } from '../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../src/history/names/layout.ts';
import { openRepository, type Repository } from '../src/history/store/repository.ts';
import { transact } from '../src/history/transaction.ts';
import { writeSettings } from './project.ts';

/** Every so many steps a file is written, one of so many. */
const STEPS_PER_FILE = 5;
const FILES = 60;

/** A store that counts the distinct objects that are written to it. */
interface CountingStore extends BulkStore {
  count: () => number;
}

function countingStore(repository: Repository): CountingStore {
  const store = bulkStore(repository);
  const seen = new Set<string>();
  return {
    ...store,
    write: (type, content) => {
      const oid = store.write(type, content);
      seen.add(oid);
      return oid;
    },
    count: () => seen.size,
  };
}

/** The records of one step: a note, and now and then a file that was written. */
function stepRecords(repository: Repository, objects: BulkStore, step: number, at: number): StepRecord[] {
  const note = { kind: 'note', content: `Decision ${step}: full jitter, at most ten seconds`, role: 'plain' } as const;
  const records = [prepareRecord(repository, objects, at, { body: note })];
  if (step % STEPS_PER_FILE === 0) {
    const path = `src/part-${(step / STEPS_PER_FILE) % FILES}.ts`;
    const content = Buffer.from(`${`export const part = ${step};\n`.repeat(20)}`);
    const oid = objects.write('blob', content);
    const body = { kind: 'write', path, blob: oid, bytes: content.length } as const;
    records.push(prepareRecord(repository, objects, at, { body, content: { mode: '100644', oid } }));
  }
  return records;
}

/** Writes a session of its own, step by step, until it has had enough. */
function writeChain(repository: Repository, objects: BulkStore, isEnough: (chain: Chain) => boolean): Chain {
  const at = repository.clock();
  const task = 'Add retry with exponential backoff to the HTTP client';
  const session = newSession(repository.ids(), task, 'claude-code', repository.refs.read(MAIN) ?? '', at);
  const first = prepareRecord(repository, objects, at, { body: { kind: 'task', content: task } });
  let chain = writeStep(objects, { chain: null, session, records: [first], at });
  while (!isEnough(chain)) {
    const records = stepRecords(repository, objects, chain.session.step + 1, at);
    chain = writeStep(objects, { chain, session: chain.session, records, at });
  }
  return chain;
}

/** Makes a project whose running session has so many steps, and an archived one that fills the store up to so many objects. */
function buildStore(project: string, steps: number, total: number): void {
  initRepository({ directory: project });
  writeSettings(project, { fsync: false });
  const repository = openRepository({ directory: project });
  const objects = countingStore(repository);
  const active = writeChain(repository, objects, (chain) => chain.session.step >= steps);
  const other = objects.count() < total ? writeChain(repository, objects, () => objects.count() >= total) : null;
  objects.publish();
  transact(repository, { command: 'bench', message: 'bench' }, (transaction) => {
    const ref = sessionRef(active.session.session_id);
    transaction.move(ref, null, active.head);
    transaction.move('STAGE', null, ref);
    if (other) transaction.move(archiveRef(other.session.session_id), null, other.head);
  });
}

const [project = '', steps, total] = process.argv.slice(2);
buildStore(project, Number(steps), Number(total));
