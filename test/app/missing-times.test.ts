// Transcripts that tell no times: what they hold happened when the file was written.
import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import { takeIncrement } from '../../src/app/intake/increment.ts';
import { type IngestResult, ingestTranscript } from '../../src/app/intake/ingest.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { readChain, readSteps } from '../../src/history/chain/chain.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const HOUR = 3600;
/** The time of a project. */
const NOW = 1_769_040_000;

let project: Project;
let file: string;

beforeEach(() => {
  project = makeProject();
  file = join(temporaryFolder(), 'conversation.jsonl');
  writeFileSync(file, '');
});

const said = (role: string, text: string): string =>
  JSON.stringify({ role, message: { content: [{ type: 'text', text }] } });

/** Adds lines to the transcript, which is then said to have been written at a time. */
function write(lines: readonly string[], at: number): void {
  appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
  utimesSync(file, at, at);
}

const ingest = (): IngestResult => ingestTranscript(project.open(), file);

/** When the session began, when something last happened in it, and the times of all that it holds. */
function times(oid: string) {
  const { objects } = project.open();
  const { started_at, last_activity } = readChain(objects, oid).session;
  const records = [...readSteps(objects, oid, true)].flatMap((step) => step.records);
  const made = records.flatMap((record) => {
    const { message } = record as { message?: { metadata?: { created_at?: number } } };
    return message === undefined ? [] : [message.metadata?.created_at];
  });
  return { started_at, last_activity, at: [...new Set(records.map(({ at }) => at))], made: [...new Set(made)] };
}

test('a session is as old as its file, and what is added later is younger', () => {
  write([said('user', 'Add a retry'), said('assistant', 'Added.')], NOW - 5 * HOUR);
  const first = NOW - 5 * HOUR;
  const result = ingest();
  expect(times(result.oid)).toEqual({ started_at: first, last_activity: first, at: [first], made: [first] });
  expect(result).toMatchObject({ staleness: 'fresh', session_state: { kind: 'PendingComplete' } });
  expect(listSessions(project.open())).toMatchObject([{ last_activity: first }]);
  write([said('user', 'And a test'), said('assistant', 'Which one?')], NOW - HOUR);
  const second = NOW - HOUR;
  const added = ingest();
  expect(times(added.oid)).toMatchObject({ started_at: first, last_activity: second, at: [first, second] });
  expect(added.session_state).toMatchObject({ kind: 'AwaitingUser', asked_at: second });
});

test('nothing has happened later than now, whatever the file says', () => {
  write([said('user', 'Add a retry'), said('assistant', 'Added.')], NOW + HOUR);
  expect(times(ingest().oid)).toMatchObject({ started_at: NOW, last_activity: NOW });
});

test('dates a recording of the Agent Client Protocol without times, and keeps the times of one with them', () => {
  const update = (sessionUpdate: string, text: string): object => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, content: { type: 'text', text } } },
  });
  write(
    [update('user_message_chunk', 'Add it'), update('agent_message_chunk', 'Done.')].map((one) => JSON.stringify(one)),
    NOW - HOUR,
  );
  expect(times(ingest().oid)).toMatchObject({ started_at: NOW - HOUR, last_activity: NOW - HOUR });
  const told = { ts: new Date((NOW - 3 * HOUR) * 1000).toISOString(), ...update('agent_message_chunk', 'More.') };
  write([JSON.stringify(told)], NOW);
  expect(times(ingest().oid)).toMatchObject({ last_activity: NOW - HOUR, at: [NOW - HOUR, NOW - 3 * HOUR] });
});

test('what a hook takes in has the time of the file, too', () => {
  write([said('user', 'Add a retry'), said('assistant', 'Added.')], NOW - 5 * HOUR);
  const { oid } = ingest();
  write([said('assistant', 'And tested.')], NOW - HOUR);
  const repository = project.open();
  const chain = readChain(repository.objects, oid);
  const agent = agentNamed('cursor');
  const [known] = chain.session.sources;
  if (!agent || !known) throw new Error('not ingested');
  const { records } = takeIncrement(repository, chain, { agent, known, file, said: null, timeLeft: () => 1000 });
  expect(new Set(records.map(({ record }) => record.at))).toEqual(new Set([NOW - HOUR]));
});
