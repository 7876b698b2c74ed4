// Transcripts that tell no id of their conversation: what stands in them tells which one it is, wherever they lie.
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { sourceHash } from '../../src/core/forgotten.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import { encodeForgotten, hashOf, readForgotten } from '../../src/history/store/forgotten.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

let project: Project;
let folder: string;

beforeEach(() => {
  project = makeProject();
  folder = temporaryFolder();
});

const at = (name: string): string => join(folder, name);

const said = (role: string, text: string): string =>
  `${JSON.stringify({ role, message: { content: [{ type: 'text', text }] } })}\n`;
const turn = (task: string, answer = `Done: ${task}`): string => said('user', task) + said('assistant', answer);

function put(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

const ingest = (...names: string[]) => ingestMany(project.open(), names.map(at));

/** The words of each session, in the order in which they began. */
const told = (): string[][] =>
  [...project.open().refs.names(SESSIONS)].sort().map((ref) =>
    [...showRevision(project.open(), ref.slice(SESSIONS.length)).steps]
      .flatMap(({ observations }) => observations)
      .flatMap((each) => (each.kind === 'message' ? [JSON.stringify(each)] : []))
      .map((message) => /"text":"([^"]*)"/.exec(message)?.[1] ?? ''),
  );

const RED = ['Paint', 'Red.'];
const BLUE = ['Paint', 'Blue.'];

describe('two conversations in files of one name', () => {
  test.each([
    ['together', () => void ingest('run1', 'run2')],
    ['one after the other', () => void [ingest('run1'), ingest('run2')]],
    ['the first being gone by then', () => void [ingest('run1'), rmSync(at('run1/transcript.jsonl')), ingest('run2')]],
  ])('are two sessions, taken in %s', (_, takeIn) => {
    put('run1/transcript.jsonl', turn('Paint', 'Red.'));
    put('run2/transcript.jsonl', turn('Paint', 'Blue.'));
    takeIn();
    expect(told()).toEqual([RED, BLUE]);
    const again = ingest('run2').sessions[0];
    expect(again).toMatchObject({ agent_session_id: 'transcript-2', steps_added: 0, read_before: null });
    put('run2/transcript.jsonl', turn('Paint', 'Blue.') + turn('More'));
    expect(ingest('.').totals).toMatchObject({ created: 0 });
    expect(told()).toEqual([RED, [...BLUE, 'More', 'Done: More']]);
    expect(fsck(project.store)).toBe('');
  });

  test('stay two where one of them was undone', () => {
    put('run1/transcript.jsonl', turn('Paint', 'Red.'));
    put('run2/transcript.jsonl', turn('Paint', 'Blue.'));
    ingest('run2');
    ingest('run1');
    undoOperations(project.open(), 2);
    ingest('run1');
    ingest('run2');
    expect(told()).toEqual([RED, BLUE]);
  });
});

describe('one conversation', () => {
  const grow = (name: string): void => put(name, turn('Paint', 'Red.') + turn('More'));
  const GROWN = [...RED, 'More', 'Done: More'];

  test.each([
    ['moved', 'transcript.jsonl', 'b/transcript.jsonl'],
    ['renamed', 'transcript.jsonl', 'a/other.jsonl'],
    ['moved and renamed', 'transcript.jsonl', 'b/other.jsonl'],
    ['named after its id no more', '0c5a0001-0000-4000-8000-000000000001.jsonl', 'a/other.jsonl'],
  ])('continues in its file that was %s', (_, before, name) => {
    put(`a/${before}`, turn('Paint', 'Red.'));
    ingest('a');
    mkdirSync(dirname(at(name)), { recursive: true });
    renameSync(at(`a/${before}`), at(name));
    expect(ingest(name).totals).toMatchObject({ created: 0, added: 0, unchanged: 1 });
    grow(name);
    expect(ingest(name).totals).toMatchObject({ created: 0, added: 1 });
    expect(told()).toEqual([GROWN]);
  });

  test('is known again in copies of it, as it was and as it has become', () => {
    put('a/transcript.jsonl', turn('Paint', 'Red.'));
    mkdirSync(at('old'));
    cpSync(at('a/transcript.jsonl'), at('old/transcript.jsonl'));
    grow('a/transcript.jsonl');
    ingest('a');
    expect(ingest('old').totals).toMatchObject({ created: 0, added: 0 });
    mkdirSync(at('new'));
    put('new/transcript.jsonl', turn('Paint', 'Red.') + turn('More') + turn('Still more'));
    expect(ingest('.').totals).toMatchObject({ created: 0, added: 1 });
    expect(told()).toEqual([[...GROWN, 'Still more', 'Done: Still more']]);
  });

  test('continues after its session was saved', () => {
    put('a/transcript.jsonl', turn('Paint', 'Red.'));
    ingestMany(project.open(), [at('a')], { compact: true });
    renameSync(at('a'), at('b'));
    renameSync(at('b/transcript.jsonl'), at('b/other.jsonl'));
    grow('b/other.jsonl');
    ingest('b');
    expect(project.open().refs.names(ARCHIVE)).toHaveLength(1);
    expect(told()).toEqual([['More', 'Done: More']]);
  });

  test('stays one if the file is rewritten in place', () => {
    put('a/transcript.jsonl', turn('Paint', 'Red.'));
    ingest('a');
    put('a/transcript.jsonl', turn('Paint', 'Green.'));
    expect(ingest('a').sessions[0]).toMatchObject({ created: false, read_before: 'rewritten' });
  });
});

describe('a conversation that was forgotten', () => {
  const ID = '0c5a0001-0000-4000-8000-000000000001';
  const OTHER = '0c5a0002-0000-4000-8000-000000000002';
  const forgotten = (...names: string[]): string => {
    const id = ingest(...names).sessions[0]?.session_id ?? '';
    forget(project.open(), { id });
    return id;
  };
  const isPassedOver = (name: string): boolean => ingest(name).sessions[0]?.forgotten_at !== undefined;
  const move = (from: string, to: string): void => {
    mkdirSync(dirname(at(to)), { recursive: true });
    renameSync(at(from), at(to));
  };

  test.each<[string, string, () => void]>([
    ['where it lies', 'a/chat.jsonl', () => {}],
    ['moved', 'b/chat.jsonl', () => move('a/chat.jsonl', 'b/chat.jsonl')],
    ['renamed', 'a/renamed.jsonl', () => move('a/chat.jsonl', 'a/renamed.jsonl')],
    [
      'grown and renamed',
      'a/renamed.jsonl',
      () => {
        appendFileSync(at('a/chat.jsonl'), turn('More'));
        move('a/chat.jsonl', 'a/renamed.jsonl');
      },
    ],
    ['written anew behind its first words', 'a/chat.jsonl', () => put('a/chat.jsonl', turn('Paint', 'Green.'))],
  ])('does not come back: %s', (_, name, change) => {
    put('a/chat.jsonl', turn('Paint', 'Red.'));
    forgotten('a');
    change();
    expect(isPassedOver(name)).toBe(true);
    expect(JSON.stringify(readForgotten(project.open()))).not.toContain('chat');
    expect(fsck(project.store)).toBe('');
  });

  test('leaves its name to others', () => {
    put('a/chat.jsonl', turn('Paint', 'Red.'));
    put('b/chat.jsonl', turn('Write', 'Written.'));
    put('c/chat.jsonl', turn('Sweep', 'Swept.'));
    forgotten('a');
    for (const name of ['b', 'c', 'b']) expect(isPassedOver(name)).toBe(false);
    expect(isPassedOver('a')).toBe(true);
    expect(told().slice(-2)).toEqual([
      ['Write', 'Written.'],
      ['Sweep', 'Swept.'],
    ]);
  });

  test('stops none that is in the store and begins with the same words', () => {
    put('a/chat.jsonl', turn('Paint', 'Red.'));
    put('b/chat.jsonl', turn('Paint', 'Blue.'));
    ingest('b');
    forgotten('a');
    appendFileSync(at('b/chat.jsonl'), turn('More'));
    expect(isPassedOver('b')).toBe(false);
    expect(isPassedOver('a')).toBe(true);
    expect(told().some((words) => words.join() === [...BLUE, 'More', 'Done: More'].join())).toBe(true);
  });

  test('is not continued if another session has it as its beginning', () => {
    put('a/chat.jsonl', turn('Paint', 'Red.'));
    const id = ingestMany(project.open(), [at('a')], { compact: true }).sessions[0]?.session_id ?? '';
    appendFileSync(at('a/chat.jsonl'), turn('More'));
    ingest('a');
    forget(project.open(), { id });
    put('a/chat.jsonl', turn('Paint', 'Green.') + turn('More') + turn('Still more'));
    expect(isPassedOver('a')).toBe(true);
  });

  test('is known by the id that its file is named after, and by its words where that name is gone', () => {
    put(`a/${ID}.jsonl`, turn('Paint', 'Red.'));
    put(`a/${OTHER}.jsonl`, turn('Paint', 'Blue.'));
    forgotten(`a/${ID}.jsonl`);
    expect(isPassedOver(`a/${ID}.jsonl`)).toBe(true);
    expect(isPassedOver(`a/${OTHER}.jsonl`)).toBe(false);
    renameSync(at(`a/${ID}.jsonl`), at('a/chat.jsonl'));
    expect(isPassedOver('a/chat.jsonl')).toBe(true);
  });

  test('is recognised by its name if an older list has nothing else of it', () => {
    put('a/chat.jsonl', turn('Paint', 'Red.'));
    const session_id = forgotten('a');
    const repository = project.open();
    const list = readForgotten(repository);
    const hash = sourceHash('cursor', 'chat', hashOf(repository));
    writeFileSync(repository.layout.forgotten, encodeForgotten({ ...list, sources: [{ hash, session_id, at: 1 }] }));
    expect(isPassedOver('a')).toBe(true);
  });
});

describe('a file that is named after its session', () => {
  const files: [agent: string, fixture: string, place: (id: string) => string][] = [
    ['codex', 'rate-limit', (id) => `2026/11/20/rollout-2026-11-20T09-00-00-${id}.jsonl`],
    ['pi', 'branches', (id) => `--home-dev-acme--/2026-11-20T09-00-01-000Z_${id}.jsonl`],
    ['copilot', 'count', (id) => `session-state/${id}/events.jsonl`],
  ];
  const lost = (text: string): string => text.slice(text.indexOf('\n') + 1);
  const torn = (text: string): string => text.slice(40);

  const cases = files.flatMap(([agent, name, place]) => [
    [agent, 'is lost', name, place, lost] as const,
    [agent, 'is torn', name, place, torn] as const,
  ]);

  test.each(cases)(
    'a file of %s belongs to that session if the line that says so %s',
    (agent, _, name, place, without) => {
      const text = readFileSync(new URL(`../../fixtures/${agent}/${name}.jsonl`, import.meta.url), 'utf8');
      const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
      for (const [before, after] of [
        [text, without(text)],
        [without(text), text],
      ] as const) {
        project = makeProject();
        put(place(id), before);
        expect(ingest('.').sessions).toMatchObject([{ agent_session_id: id, created: true }]);
        put(place(id), after);
        expect(ingest('.').totals).toMatchObject({ created: 0 });
        expect(project.open().refs.names(SESSIONS)).toHaveLength(1);
      }
      fsck(project.folder);
    },
  );
});
