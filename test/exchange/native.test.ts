// A session that is put where another agent resumes it: what is written, what is said, and what comes back.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConversation } from '../../src/app/conversation/load.ts';
import { readConversation } from '../../src/app/conversation/read.ts';
import {
  exportNative,
  type NativeOptions,
  type NativeResult,
  nativeTargets,
} from '../../src/app/exchange/native/native.ts';
import { exportText } from '../../src/app/exchange/text.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { lastKnownOf } from '../../src/app/intake/conversation.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { exportsTakenBack } from '../../src/app/undo/undone-exports.ts';
import { TARGETS } from '../../src/cli/commands/export-to.ts';
import type { JsonObject } from '../../src/core/json.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, makeProject, type Project, ROOT } from '../support/store.ts';

const FIXTURE = join(ROOT, 'fixtures', 'claude-code', 'retry-backoff.jsonl');

/** A project whose active session is of a fixture of Claude Code. */
function ingested(file = FIXTURE): Project {
  const project = makeProject();
  ctx.ingestTranscript(project.repository, file);
  return project;
}

const around = ({ folder }: Project) => ({ directory: folder, environment: { HOME: join(folder, 'home') } });

const exported = (project: Project, to: string, more: Partial<NativeOptions> = {}): NativeResult =>
  exportNative(project.open(), 'STAGE', { to, install: true, around: around(project), ...more });

const linesIn = (file: string | null): JsonObject[] =>
  readFileSync(file as string, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);

const wordsOf = (project: Project): string[] =>
  [...readConversation(project.open())].flatMap(({ role, parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [`${role}: ${part['text']}`] : [])),
  );

describe('a session that is put where an agent resumes it', () => {
  test.each(['codex', 'gemini', 'pi', 'claude-code'])(
    'lies in the place of %s, under a new id, with one command',
    (to) => {
      const project = ingested();
      const { file, agent_session_id, resume_command, losses, companion } = exported(project, to);
      expect(file?.startsWith(join(project.folder, 'home'))).toBe(true);
      expect(statSync(file as string).mode & 0o077).toBe(0);
      expect(resume_command).toContain(agent_session_id);
      expect(resume_command.split('\n')).toHaveLength(1);
      expect(JSON.parse(readFileSync(companion as string, 'utf8'))).toMatchObject({ agent: to, losses });
      expect(exported(project, to, { from: undefined, full: true }).agent_session_id.length).toBeGreaterThan(0);
      expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
    },
  );

  test.each([
    ['the one of Codex if its settings name none', '', 'openai'],
    ['the one that its settings name', 'model_provider = "own"\n[tools]\nmodel_provider = "no"\n', 'own'],
    [
      'the one of the profile that its settings choose',
      'profile = "work"\nmodel_provider = "own"\n[profiles.home]\nmodel_provider = "no"\n[profiles.work]\nmodel_provider = "azure"\n',
      'azure',
    ],
    ['the one behind a list of several lines', 'x = [\n  ["a"],\n[1]]\nmodel_provider = "own"\n', 'own'],
    ['the one of a quoted key', '"model_provider" = "own"\n', 'own'],
    [
      'the one of a profile with a space in its name',
      "profile = 'p q'\n[ profiles.\"p q\" ]\nmodel_provider = 'azure'\n",
      'azure',
    ],
    ['the one of a dotted key', 'profile = "p"\nprofiles.p.model_provider = "azure"\n', 'azure'],
    ['none in a text', 'notes = """\nmodel_provider = "no"\n"""\n', 'openai'],
    ['none in settings that are no TOML', 'model_provider = "no"\n[\n', 'openai'],
  ])('names the provider of Codex, which opens no other: %s', (_name, settings, provider) => {
    const project = ingested();
    mkdirSync(join(project.folder, 'home', '.codex'), { recursive: true });
    writeFileSync(join(project.folder, 'home', '.codex', 'config.toml'), settings);
    expect(linesIn(exported(project, 'codex').file)[0]?.['payload']).toMatchObject({ model_provider: provider });
  });

  test('has its losses by kind, with the messages that lack something', () => {
    const { losses, messages } = exported(ingested(), 'codex');
    expect(messages).toBe(25);
    expect(losses.map(({ kind, count }) => [kind, count])).toEqual([
      ['reasoning', 5],
      ['structured-output', 17],
      ['model', 21],
      ['usage', 21],
      ['output-failed', 1],
    ]);
    for (const { count, message_ids } of losses) expect(message_ids.length).toBeLessThanOrEqual(count);
  });

  test('is not changed, nor put anywhere, if its losses cannot be written', () => {
    const project = ingested();
    const head = project.git('rev-parse', 'STAGE');
    mkdirSync(join(project.store, 'cache'), { recursive: true });
    writeFileSync(join(project.store, 'cache', 'exports'), '');
    expect(() => exported(project, 'codex')).toThrow();
    expect(project.git('rev-parse', 'STAGE')).toBe(head);
    expect(existsSync(join(project.folder, 'home'))).toBe(false);
  });

  test('keeps thoughts as marked texts if that is asked for', () => {
    const project = ingested();
    const { file, losses } = exported(project, 'codex', { thoughtsAsText: true });
    expect(losses.map(({ kind }) => kind)).not.toContain('reasoning');
    expect(readFileSync(file as string, 'utf8')).toContain('<thinking>');
  });

  test('is added to while its file is as it was left, and written once more if it is not', () => {
    const project = ingested();
    const first = exported(project, 'codex');
    const before = readFileSync(first.file as string, 'utf8');
    expect(exported(project, 'codex')).toMatchObject({ added: 0, file: first.file });
    ctx.appendMessage(project.open(), { role: 'user', parts: [{ type: 'text', text: 'One more thing.' }] });
    const second = exported(project, 'codex');
    expect(second).toMatchObject({ file: first.file, agent_session_id: first.agent_session_id });
    expect(second.added).toBeGreaterThan(0);
    expect(second.remarks.join()).toContain('ctx undo does not take them back');
    const after = readFileSync(first.file as string, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toContain('One more thing.');
    appendFileSync(first.file as string, '\n');
    const third = exported(project, 'codex');
    expect(third.added).toBeNull();
    expect(third.file).not.toBe(first.file);
    expect(third.remarks).toEqual([
      `It is a new one; ${first.agent_session_id} was left as it was: it has changed since.`,
    ]);
  });

  test.each(['claude-code', 'codex', 'gemini', 'pi'])(
    'is written once more for %s if it ended within a turn, and that is said',
    (to) => {
      const lines = readFileSync(FIXTURE, 'utf8').trim().split('\n');
      const cut = lines.findIndex((line) => line.includes('"tool_use"')) + 1;
      const project = makeProject();
      const transcript = join(project.folder, 'growing.jsonl');
      const first = ingestedTo(cut);
      const before = readFileSync(first.file as string, 'utf8');
      const second = ingestedTo(lines.length);
      expect(second).toMatchObject({ added: null });
      expect(second.file).not.toBe(first.file);
      expect(second.remarks.join()).toContain(`${first.agent_session_id} was left as it was: it ends within a turn`);
      expect(readFileSync(first.file as string, 'utf8')).toBe(before);

      function ingestedTo(count: number): NativeResult {
        writeFileSync(transcript, `${lines.slice(0, count).join('\n')}\n`);
        ctx.ingestTranscript(project.open(), transcript);
        return exported(project, to);
      }
    },
  );

  test('takes in what the agent says there, once, in the same session', () => {
    const project = ingested();
    const before = wordsOf(project);
    const { file, agent_session_id } = exported(project, 'claude-code');
    const last = linesIn(file).at(-1);
    const common = {
      isSidechain: false,
      userType: 'external',
      cwd: project.folder,
      sessionId: agent_session_id,
      version: '2.1.330',
    };
    const said = [
      { type: 'user', message: { role: 'user', content: 'And now?' } },
      {
        type: 'assistant',
        message: {
          id: 'msg_new',
          type: 'message',
          role: 'assistant',
          model: 'claude-x',
          content: [{ type: 'text', text: 'Done.' }],
        },
      },
    ];
    const lines = said.map((record, index) => ({
      parentUuid: index === 0 ? last?.['uuid'] : 'new-0',
      ...common,
      ...record,
      uuid: `new-${index}`,
      timestamp: `2026-02-01T00:00:0${index}.000Z`,
    }));
    appendFileSync(file as string, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    ctx.ingestTranscript(project.open(), file as string);
    expect(wordsOf(project)).toEqual([...before, 'user: And now?', 'assistant: Done.']);
    ctx.ingestTranscript(project.open(), file as string);
    expect(wordsOf(project)).toHaveLength(before.length + 2);
  });
});

/** Appends a prompt and an answer to a transcript of Claude Code, as the agent does after a resume. */
function resumedIn(project: Project, { file, agent_session_id }: NativeResult): void {
  const common = { cwd: project.folder, sessionId: agent_session_id, version: '2.1.330' };
  const content = [{ type: 'text', text: 'Done.' }];
  const said = [
    { type: 'user', message: { role: 'user', content: 'And now?' } },
    { type: 'assistant', message: { id: 'msg_new', role: 'assistant', model: 'claude-x', content } },
  ];
  for (const [index, record] of said.entries()) {
    const parentUuid = linesIn(file).at(-1)?.['uuid'];
    const line = {
      parentUuid,
      ...common,
      ...record,
      uuid: `new-${index}`,
      timestamp: `2026-02-01T00:00:0${index}.000Z`,
    };
    appendFileSync(file as string, `${JSON.stringify(line)}\n`);
  }
}

describe('a session that has ended', () => {
  /** Ends the active session. @returns its id */
  function ended(project: Project): string {
    const { session_id } = loadConversation(project.open(), 'STAGE').session;
    ctx.compactSession(project.open());
    return session_id;
  }

  test('is continued by what the agent does in its transcript', () => {
    const project = ingested();
    const session = ended(project);
    const main = project.open().refs.read('refs/heads/main');
    const first = exportNative(project.open(), session, { to: 'claude-code', install: true, around: around(project) });
    expect(first.remarks.join()).toContain('continues');
    expect(project.open().refs.read('refs/heads/main')).toBe(main);
    resumedIn(project, first);
    ctx.ingestTranscript(project.open(), first.file as string);
    expect(loadConversation(project.open(), 'STAGE').session).toMatchObject({ continues: session });
    expect(wordsOf(project)).toEqual(['user: And now?', 'assistant: Done.']);
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test('is not written a second time', () => {
    const project = ingested();
    const session = ended(project);
    const again = () => exportNative(project.open(), session, { to: 'codex', install: true, around: around(project) });
    const { file } = again();
    expect(again()).toMatchObject({ file, added: 0 });
  });
});

describe('undo of an export', () => {
  const sourcesOf = (project: Project, id: string) => {
    const { session } = loadConversation(project.open(), id);
    return session.sources.map(({ agent_session_id }) => agent_session_id);
  };

  test.each(['open', 'ended'])('takes the transcript out of an %s session, names its file, and is undone', (state) => {
    const project = ingested();
    const { session_id } = loadConversation(project.open(), 'STAGE').session;
    if (state === 'ended') ctx.compactSession(project.open());
    const before = sourcesOf(project, session_id);
    const { file, agent_session_id } = exportNative(project.open(), session_id, {
      to: 'codex',
      install: true,
      isOperation: true,
      around: around(project),
    });
    expect(undoOperations(project.open()).undone).toMatchObject([{ command: 'export', files: [file] }]);
    expect(existsSync(file as string)).toBe(true);
    expect(sourcesOf(project, session_id)).toEqual(before);
    const conversation = { agent: 'codex', agent_session: agent_session_id };
    expect(lastKnownOf(project.open(), conversation)).not.toBe(session_id);
    undoOperations(project.open());
    expect(sourcesOf(project, session_id)).toEqual([...before, agent_session_id]);
    expect(lastKnownOf(project.open(), conversation)).toBe(session_id);
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test('leaves a transcript in which its agent has worked since', () => {
    const project = ingested();
    const headNow = () => loadConversation(project.open(), 'STAGE');
    const before = headNow();
    exported(project, 'codex');
    const { session, head } = headNow();
    const further = session.sources.map((source) => ({ ...source, offset: source.offset + 1 }));
    const takenBack = (now: typeof session) => exportsTakenBack(project.open(), now, before.head, head);
    expect(takenBack(session)).toEqual({ sources: before.session.sources, exports: [] });
    expect(takenBack({ ...session, sources: further })).toBeNull();
  });
});

describe('a session in a file', () => {
  test('is never written over another one', () => {
    const project = ingested();
    const output = join(project.folder, 'there.jsonl');
    writeFileSync(output, 'mine');
    const error = errorOf(() => exported(project, 'codex', { install: false, output }));
    expect(error).toMatchObject({ code: 'invalid_input' });
    expect(readFileSync(output, 'utf8')).toBe('mine');
    expect(readdirSync(project.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('has a command that puts it in its place and resumes it', () => {
    const project = ingested();
    const { file, resume_command, agent_session_id } = exported(project, 'codex', {
      install: false,
      output: 'out.jsonl',
    });
    expect(resume_command).toMatch(
      new RegExp(`^mkdir -p .* && cp .*out\\.jsonl .* && codex resume ${agent_session_id}$`),
    );
    expect(existsSync(`${file}.losses.json`)).toBe(true);
  });
});

describe('what is written', () => {
  test('behind a compaction is the summary and what follows, or with full what it has hidden', () => {
    const project = ingested(join(ROOT, 'fixtures', 'claude-code', 'compaction.jsonl'));
    const [view, full] = [exported(project, 'pi'), exported(project, 'pi', { full: true })];
    expect(linesIn(view.file).map(({ type }) => type)).toContain('compaction');
    expect(linesIn(full.file).map(({ type }) => type)).not.toContain('compaction');
    expect(full.messages).toBeGreaterThan(view.messages);
  });

  test('begins with the message that is named, and has one in front if that is the agent’s', () => {
    const project = ingested();
    const messages = [...readConversation(project.open())];
    const third = messages[2]?.id as string;
    expect(exported(project, 'gemini', { from: third }).messages).toBe(messages.length - 2);
    expect(errorOf(() => exported(project, 'gemini', { from: 'nobody' }))).toMatchObject({ code: 'not_found' });
  });

  test('uses the folder that Gemini CLI has chosen for the project', () => {
    const project = ingested();
    mkdirSync(join(project.folder, 'home', '.gemini'), { recursive: true });
    const projects = { projects: { [project.folder]: 'chosen-1' } };
    writeFileSync(join(project.folder, 'home', '.gemini', 'projects.json'), JSON.stringify(projects));
    expect(exported(project, 'gemini').file).toContain('/tmp/chosen-1/chats/session-');
  });

  test('is for agents that the command line names', () => {
    expect([...TARGETS].sort()).toEqual(nativeTargets().sort());
    expect(errorOf(() => exported(ingested(), 'vim'))).toMatchObject({ code: 'usage' });
  });
});

test('as a text, a session is Markdown, messages of the AI SDK, or a prompt within a budget', () => {
  const project = ingested();
  const text = (to: 'markdown' | 'uimessages' | 'prompt', budget?: number) =>
    exportText(project.open(), 'STAGE', { to, budget, directory: project.folder });
  expect(text('markdown').text).toMatch(/^# .+\n\n## User \(/);
  expect(text('uimessages').ui_messages).toHaveLength(25);
  const short = text('prompt', 600);
  expect(short.tokens).toBeLessThanOrEqual(600);
  expect(short.left_out?.turns).toBeGreaterThan(0);
});
