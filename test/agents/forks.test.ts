// A session that was forked from another one carries that one's messages along: what they used counts once, in their own session.
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { readChain } from '../../src/history/chain/chain.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { put } from '../support/homes.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

let project: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
});

const NOON = Date.parse('2026-01-21T12:00:00.000Z');
const iso = (second: number): string => new Date(NOON + second * 1000).toISOString();
const uuid = (last: string): string => `01a1f000-0000-7000-8000-${last.padStart(12, '0')}`;
const asLines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A family of three: each has all that the one before it has said, and a turn of its own. */
type Family = () => [file: string, id: string][];

/** Turns of each member: the name of the turn, its second, its tokens. */
const TURNS: readonly (readonly [name: string, second: number, tokens: number])[] = [
  ['one', 1, 100],
  ['two', 3601, 30],
  ['three', 7201, 7],
];
const BEGUN = [0, 3600, 7200];

const pi: Family = () =>
  BEGUN.map((begun, member) => {
    const id = uuid(`a${member}`);
    const nameOf = (which: number): string =>
      join(home, 'sessions', `${iso(BEGUN[which] as number).replaceAll(/[:.]/g, '-')}_${uuid(`a${which}`)}.jsonl`);
    const parent = member === 0 ? {} : { parentSession: nameOf(member - 1) };
    const header = { type: 'session', version: 3, id, timestamp: iso(begun), cwd: project.folder, ...parent };
    const records = TURNS.slice(0, member + 1).flatMap(([name, second, tokens], index) => {
      const above = index === 0 ? null : `g${index - 1}`;
      const entry = (own: string, parentId: string | null, after: number, message: object) => ({
        ...{ type: 'message', id: own, parentId, timestamp: iso(second + after), message },
      });
      const usage = { input: tokens, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: tokens + 1 };
      const answer = {
        role: 'assistant',
        content: [{ type: 'text', text: `${name}: done` }],
        usage,
        stopReason: 'stop',
      };
      return [
        entry(`u${index}`, above, 0, { role: 'user', content: [{ type: 'text', text: name }] }),
        entry(`g${index}`, `u${index}`, 1, { ...answer, model: 'm', provider: 'p' }),
      ];
    });
    return [put(nameOf(member), asLines([header, ...records])), id];
  });

const opencode: Family = () =>
  BEGUN.map((begun, member) => {
    const id = `ses_fork${member}`;
    const info = { id, directory: project.folder, title: `Doors (fork #${member})`, version: '1.18.33' };
    const messages = TURNS.slice(0, member + 1).flatMap(([name, second, tokens], index) => {
      // A copy has an id of its own, and the time of what it is a copy of.
      const [asked, answered] = [`msg_${member}${index}u`, `msg_${member}${index}g`];
      const created = NOON + second * 1000;
      const used = { input: tokens, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
      const text = (own: string, words: string) => ({ id: `${own}p`, type: 'text', text: words });
      return [
        { info: { id: asked, sessionID: id, role: 'user', time: { created } }, parts: [text(asked, name)] },
        {
          info: {
            ...{ id: answered, sessionID: id, role: 'assistant', parentID: asked, modelID: 'm', finish: 'stop' },
            ...{ time: { created: created + 500, completed: created + 900 }, tokens: used },
          },
          parts: [
            text(answered, `${name}: done`),
            { id: `${answered}s`, type: 'step-finish', reason: 'stop', tokens: used },
          ],
        },
      ];
    });
    const time = { created: NOON + begun * 1000, updated: NOON + begun * 1000 };
    return [put(join(home, `${id}.json`), JSON.stringify({ info: { ...info, time }, messages })), id];
  });

const claudeCode: Family = () =>
  BEGUN.map((_, member) => {
    const sessionId = uuid(`c${member}`);
    const records = TURNS.slice(0, member + 1).flatMap(([name, second, tokens], index) => {
      const from =
        index < member ? { forkedFrom: { sessionId: uuid(`c${member - 1}`), messageUuid: uuid(`e${index}`) } } : {};
      const around = {
        sessionId,
        cwd: project.folder,
        version: '2.1.330',
        isSidechain: false,
        userType: 'external',
        ...from,
      };
      const parentUuid = index === 0 ? null : uuid(`f${index - 1}`);
      const usage = { input_tokens: tokens, output_tokens: 1 };
      const content = [{ type: 'text', text: `${name}: done` }];
      const message = {
        id: `msg_${index}`,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: 'end_turn',
        usage,
      };
      return [
        {
          ...around,
          type: 'user',
          uuid: uuid(`e${index}`),
          parentUuid,
          timestamp: iso(second),
          message: { role: 'user', content: name },
        },
        {
          ...around,
          type: 'assistant',
          uuid: uuid(`f${index}`),
          parentUuid: uuid(`e${index}`),
          timestamp: iso(second + 1),
          requestId: `req_${index}`,
          message,
        },
      ];
    });
    return [put(join(home, `${sessionId}.jsonl`), asLines(records)), sessionId];
  });

function used(): Record<string, number | undefined> {
  const { refs, objects } = project.open();
  const sessions = [...refs.list(SESSIONS).values()].map((head) => readChain(objects, head).session);
  return Object.fromEntries(
    sessions.map(({ sources, usage }) => [String(sources[0]?.agent_session_id), usage?.['input']]),
  );
}

const families: [string, Family][] = [
  ['pi', pi],
  ['opencode', opencode],
  ['Claude Code', claudeCode],
];

test.each(families)('a fork of %s, and one of that, count what they used themselves, in any order', (_, family) => {
  const members = family();
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    project = makeProject();
    for (const index of order) ingestTranscript(project.open(), members[index]?.[0] as string);
    expect(used(), String(order)).toEqual(Object.fromEntries(members.map(([, id], index) => [id, TURNS[index]?.[2]])));
  }
  expect(fsck(project.store)).toBe('');
});

test.each(families)('a fork of %s whose parent is missing counts what it used itself', (_, family) => {
  const [file, id] = family()[1] as [string, string];
  ingestTranscript(project.open(), file);
  expect(used()).toEqual({ [id]: 30 });
});
