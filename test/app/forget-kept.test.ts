// Tests that traces in other features are forgotten too: titles, summaries, the catalog, and the mirror in the project.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { mirrorSessions } from '../../src/app/mirror/mirror.ts';
import { stopSession } from '../../src/app/resume/stop.ts';
import { observeBatch } from '../../src/app/session/batch.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const SECRET = 'the wombat keeper of Leipzig';
/** A message whose last sentence, without its marks, is where the session stopped. */
const SAID = `I asked around.\n\n- What is left: **write** to ${SECRET}.`;
const STOPPED = `What is left: write to ${SECRET}.`;

function expectGone({ store, open }: Project, ...texts: string[]): void {
  expect(tracesOf(store, ...texts)).toEqual([]);
  expect(fsck(store)).toBe('');
  expect(checkStore(open(), { full: true }).findings).toEqual([]);
}

/** Records what the agent says. @returns the id of the record */
function says({ repository, folder }: Project, text: string): string {
  const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text }] };
  const [id] = observeBatch(
    repository,
    [Buffer.from(`${JSON.stringify({ kind: 'message', message })}\n`)],
    folder,
  ).records;
  return id as string;
}

/** The paths of everything below a folder, each followed by what is in it. */
const allIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) +
        (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'utf8') : ''),
    )
    .join('\n');

describe('where a session stopped', () => {
  test('goes with the message whose sentence it is', () => {
    const project = makeProject();
    ctx.startSession(project.repository, 'A task');
    const id = says(project, SAID);
    expect(stopSession(project.repository).summary).toBe(STOPPED);
    ctx.forget(project.open(), { id });
    expectGone(project, SECRET);
  });

  test('stays with a session of which another message is forgotten', () => {
    const project = makeProject();
    ctx.startSession(project.repository, 'A task');
    const id = says(project, 'Some words that nobody needs.');
    stopSession(project.repository, STOPPED);
    ctx.forget(project.open(), { id });
    expect(tracesOf(project.store, STOPPED)).not.toEqual([]);
  });

  test('goes with its text', () => {
    const project = makeProject();
    ctx.startSession(project.repository, 'A task');
    stopSession(project.repository, STOPPED);
    ctx.forget(project.open(), { text: SECRET });
    expectGone(project, SECRET);
  });
});

describe.each(['open', 'ended'])('the title of a session that is %s', (state) => {
  /** A session with a title of the user's. */
  function titled(): Project & { id: string } {
    const project = makeProject();
    const { session_id: id } = ctx.startSession(project.repository, 'A task');
    if (state === 'ended') ctx.compactSession(project.repository);
    ctx.renameSession(project.repository, state === 'ended' ? id : null, `Letters to ${SECRET}`);
    return { ...project, id };
  }

  test('goes with its text, from the catalog too', () => {
    const project = titled();
    ctx.searchSessions(project.open(), 'letters');
    ctx.forget(project.open(), { text: SECRET });
    expectGone(project, SECRET);
  });

  test('goes with its record', () => {
    const project = titled();
    const records = [...ctx.showRevision(project.open(), project.id).steps].flatMap(({ observations }) => observations);
    ctx.forget(project.open(), { id: records.find(({ kind }) => kind === 'title')?.id as string });
    expectGone(project, SECRET);
  });

  test('goes with its session', () => {
    const project = titled();
    ctx.forget(project.open(), { id: project.id });
    expectGone(project, SECRET);
  });
});

describe('a mirror', () => {
  /** A project with a mirrored session. */
  function mirrored(conversations: string): Project & { id: string; root: string } {
    const project = makeProject({ conversations });
    const { session_id: id } = ctx.startSession(project.repository, `Write to ${SECRET}`);
    says(project, SAID);
    stopSession(project.repository);
    mirrorSessions(project.repository);
    return { ...project, id, root: join(project.folder, conversations) };
  }

  test.each(['conversations', 'notes/talks'])(
    'in %s no longer has a text, nor the name of a folder',
    (conversations) => {
      const project = mirrored(conversations);
      expect(allIn(project.root)).toContain('wombat-keeper');
      const { mirrored: folders } = ctx.forget(project.open(), { text: SECRET });
      expect(folders).toEqual([
        expect.stringMatching(new RegExp(`^${conversations}/2026-01-22/001-session-write-to-`)),
      ]);
      expect(allIn(project.root)).not.toContain(SECRET);
      expect(allIn(project.root)).not.toContain('wombat-keeper');
      expect(allIn(project.root)).toContain('I asked around.');
    },
  );

  test('no longer has a forgotten session', () => {
    const project = mirrored('conversations');
    ctx.forget(project.open(), { id: project.id });
    expect(allIn(project.root)).not.toMatch(/wombat|asked around/);
  });

  test('is left as it is by a look at what would go', () => {
    const project = mirrored('conversations');
    const before = allIn(project.root);
    expect(ctx.forget(project.open(), { text: SECRET }, { dryRun: true }).mirrored).toEqual([]);
    expect(allIn(project.root)).toBe(before);
  });

  test('that cannot be written is named among what is out of reach', () => {
    const project = mirrored('conversations');
    const [day] = readdirSync(project.root) as [string];
    const [name] = readdirSync(join(project.root, day)) as [string];
    const before = ctx.forget(project.open(), { text: 'I asked around.' });
    expect(before.mirrored).toHaveLength(1);
    // A file in the place of a day.
    writeFileSync(join(project.root, '2026-01-23'), name);
    const { unreachable } = ctx.forget(project.open(), { text: SECRET });
    expect(unreachable[0]).toMatch(
      /^The mirror conversations may hold it: .* Write it again with: ctx mirror conversations$/,
    );
  });
});
