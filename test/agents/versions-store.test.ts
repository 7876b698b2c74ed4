// Documents that grow in a store: each ingest adds what is new, one of the same adds nothing.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countTurns } from '../../src/app/capture/count.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import { fsck, makeProject, ROOT } from '../support/store.ts';
import { storedIn } from './support/stored.ts';

const fixture = (agent: string, name: string): string => join(ROOT, 'fixtures', agent, name);

describe.each(['gemini', 'opencode'])('%s in a store', (agent) => {
  test('a document that has grown adds what is new to its session; a second time, nothing', () => {
    const project = makeProject();
    const file = join(project.folder, 'chat.json');
    copyFileSync(fixture(agent, 'grown-1.json'), file);
    const first = ingestTranscript(project.open(), file);
    expect(first).toMatchObject({ created: true, agent });
    copyFileSync(fixture(agent, 'grown-2.json'), file);
    const second = ingestTranscript(project.open(), file);
    expect(second).toMatchObject({ session_id: first.session_id, created: false });
    expect(second.steps_added).toBeGreaterThan(0);
    expect(ingestTranscript(project.open(), file)).toMatchObject({ steps_added: 0 });
    const whole = makeProject();
    const once = ingestTranscript(whole.open(), fixture(agent, 'grown-2.json'));
    const told = storedIn(project.repository, first.session_id);
    const expected = storedIn(whole.repository, once.session_id);
    expect(told.usage).toEqual(expected.usage);
    expect(told.messages).toBe(expected.messages);
    expect([...told.calls].sort()).toEqual([...expected.calls].sort());
    expect(new Set(told.ids).size).toBe(told.ids.length);
    expect(fsck(project.store)).toBe('');
  });

  test('names an unreadable place of a document with its line in the file', () => {
    const project = makeProject();
    const file = join(project.folder, 'chat.json');
    const whole = JSON.stringify(JSON.parse(readFileSync(fixture(agent, 'grown-2.json'), 'utf8')), null, 2);
    writeFileSync(file, `${whole}\n\n}} left over\n`);
    const { problems } = ingestTranscript(project.open(), file);
    expect(problems.map(({ line }) => line)).toEqual([whole.split('\n').length + 2]);
    const recognised = recogniseTranscript(file, undefined);
    expect(countTurns(recognised.text, recognised.agent).lost.first[0]?.line).toBe(problems[0]?.line);
  });

  test('a document that is written with other blanks is the same', () => {
    const project = makeProject();
    const file = join(project.folder, 'chat.json');
    const value: unknown = JSON.parse(readFileSync(fixture(agent, 'grown-2.json'), 'utf8'));
    writeFileSync(file, JSON.stringify(value));
    const { session_id } = ingestTranscript(project.open(), file);
    writeFileSync(file, JSON.stringify(value, null, 3));
    expect(ingestTranscript(project.open(), file)).toMatchObject({ session_id, steps_added: 0 });
  });
});
