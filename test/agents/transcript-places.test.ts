// Tests the places and owners of transcripts, the time for which they stay, and the folders that Gemini CLI and pi trust: pure functions on names and texts.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { claudeCodeRetention, claudeCodeTranscripts, folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { codexTranscripts } from '../../src/agents/codex/transcripts.ts';
import { type AgentTranscripts, isWithin, knownFile } from '../../src/agents/contract/transcript-places.ts';
import { copilotTranscripts } from '../../src/agents/copilot/transcripts.ts';
import { droidTranscripts } from '../../src/agents/droid/transcripts.ts';
import { trustOf as trustOfGemini } from '../../src/agents/gemini/hooks.ts';
import { geminiRetention, geminiTranscripts } from '../../src/agents/gemini/transcripts.ts';
import { trustOf as trustOfPi } from '../../src/agents/pi/hooks.ts';
import { piTranscripts } from '../../src/agents/pi/transcripts.ts';

const ACME = '/home/dev/acme_http.js';

describe('Claude Code', () => {
  test('names a folder after the one that it worked in', () => {
    expect(folderNameOf(ACME)).toBe('-home-dev-acme-http-js');
    expect(folderNameOf('C:\\work\\Ünï')).toBe('C--work--n-');
    expect(folderNameOf(`/${'x'.repeat(300)}`)).toHaveLength(200);
  });

  test.each([
    [['-home-dev-acme-http-js'], 'own'],
    [['-home-dev-acme-http-js-packages-core'], 'perhaps'],
    [['-home-dev-acme-http-json'], 'no'],
    [['-home-dev'], 'no'],
    [['-home-dev-acme-http-js', 'f00-subagents'], 'no'],
    [[], 'no'],
  ])('%j holds conversations of the project: %s', (names, holding) => {
    expect(claudeCodeTranscripts.holds(names, ['/elsewhere', ACME])).toBe(holding);
  });

  test('cuts long names, and adds a hash', () => {
    const project = `/${'x'.repeat(300)}`;
    expect(claudeCodeTranscripts.holds([`${folderNameOf(project)}-1a2b3c`], [project])).toBe('perhaps');
  });

  test.each([
    ['41fa3607-9d41-5607-905b-d0f910ab2865.jsonl', true],
    ['agent-a1b2c3d.jsonl', false],
    ['agent-a1b2c3d.meta.json', false],
    ['notes.txt', false],
  ])('%s is a conversation: %s', (name, is) => expect(claudeCodeTranscripts.isConversation(name)).toBe(is));

  test.each([
    [{ type: 'summary', summary: 'x', leafUuid: 'y' }, null],
    [
      { type: 'user', cwd: ACME, message: { content: '"cwd":"/etc"' } },
      { cwd: ACME, is_sub_agent: false },
    ],
    [
      { type: 'user', cwd: ACME, isSidechain: true, agentId: 'a', message: {} },
      { cwd: ACME, is_sub_agent: true },
    ],
    [
      { type: 'user', cwd: ACME, isSidechain: true, message: {} },
      { cwd: ACME, is_sub_agent: false },
    ],
    [{ cwd: 5 }, null],
  ])('the record %j belongs to %j', (record, told) =>
    expect(claudeCodeTranscripts.belonging(JSON.stringify(record), [])).toEqual(told),
  );

  test('a line that is not JSON belongs to no project', () => {
    expect(claudeCodeTranscripts.belonging(`{"cwd":"${ACME}"`, [])).toBeNull();
    expect(codexTranscripts.belonging(`{"cwd":"${ACME}"`, [])).toBeNull();
    expect(codexTranscripts.belonging('[]', [])).toBeNull();
  });

  test.each([
    [[], 30],
    [['{}', '{"cleanupPeriodDays": 90}'], 90],
    [['// mine\n{"cleanupPeriodDays": 0,}', '{"cleanupPeriodDays": 90}'], 0],
    [['{"cleanupPeriodDays": "90"}'], 30],
    [['{"cleanupPeriodDays": -1}', '{', '[1]'], 30],
  ])('%j keeps transcripts for %d days', (settings, days) => expect(claudeCodeRetention.days(settings)).toBe(days));
});

describe('Codex', () => {
  test('keeps the transcripts of all projects by day', () => {
    const holds = (...names: string[]) => codexTranscripts.holds(names, [ACME]);
    expect([holds(), holds('2026'), holds('2026', '11', '21')]).toEqual(['perhaps', 'perhaps', 'perhaps']);
    expect([holds('other'), holds('2026', '11', '21', '00')]).toEqual(['no', 'no']);
    expect(codexTranscripts.isConversation('rollout-2026-11-21T21-30-51-01a2.jsonl')).toBe(true);
    expect(codexTranscripts.isConversation('history.jsonl')).toBe(false);
  });

  test.each([
    [
      { type: 'session_meta', payload: { cwd: ACME, source: 'cli' } },
      { cwd: ACME, is_sub_agent: false },
    ],
    [
      { type: 'session_meta', payload: { cwd: ACME, source: { subagent: 'review' } } },
      { cwd: ACME, is_sub_agent: true },
    ],
    [
      { type: 'session_meta', payload: { cwd: ACME, source: 'cli', thread_source: 'subagent' } },
      { cwd: ACME, is_sub_agent: true },
    ],
    [
      { type: 'session_meta', payload: { cwd: ACME, parent_thread_id: 'p' } },
      { cwd: ACME, is_sub_agent: true },
    ],
    [
      { type: 'session_meta', payload: { cwd: ACME, forked_from_id: 'p' } },
      { cwd: ACME, is_sub_agent: false },
    ],
    [
      { id: 'x', cwd: ACME },
      { cwd: ACME, is_sub_agent: false },
    ],
    [{ type: 'turn_context', payload: { cwd: ACME } }, null],
  ])('the record %j belongs to %j', (record, told) =>
    expect(codexTranscripts.belonging(JSON.stringify(record), [])).toEqual(told),
  );
});

describe('Gemini CLI', () => {
  const HASH = createHash('sha256').update(ACME).digest('hex');
  const holds = (...names: string[]) => geminiTranscripts.holds(names, ['/elsewhere', ACME]);

  test('keeps conversations in a folder for each project, by its name or its hash', () => {
    expect([holds('acme-http'), holds('acme-http', 'chats'), holds(HASH)]).toEqual(['perhaps', 'perhaps', 'perhaps']);
    expect([holds(HASH, 'chats'), holds(), holds('x', 'logs'), holds('x', 'chats', 'y')]).toEqual([
      'own',
      'no',
      'no',
      'no',
    ]);
    const names = ['session-2026-11-21T21-34-aaaabbbb.jsonl', 'session-1.json', 'logs.json', 'session-1.jsonl.bak'];
    expect(names.map(geminiTranscripts.isConversation)).toEqual([true, true, false, false]);
  });

  test.each([
    [`{"sessionId":"a","projectHash":"${HASH}","kind":"main"}`, { cwd: ACME, is_sub_agent: false }],
    [`{"sessionId":"a", "projectHash": "${HASH}", "kind": "subagent"}`, { cwd: ACME, is_sub_agent: true }],
    [`  "projectHash": "${HASH}",`, { cwd: ACME, is_sub_agent: false }],
    [`{"projectHash":"${'0'.repeat(64)}"}`, { cwd: '', is_sub_agent: false }],
    [`{"content":"\\"projectHash\\": \\"${HASH}\\""}`, null],
    ['{"type":"user"}', null],
  ])('the line %s belongs to %j', (line, told) =>
    expect(geminiTranscripts.belonging(line, ['/elsewhere', ACME])).toEqual(told),
  );

  const retention = (value: object): string => JSON.stringify({ general: { sessionRetention: value } });
  test.each([
    [[], 30],
    [[retention({ enabled: false })], null],
    [[retention({ enabled: true }), retention({ enabled: false })], 30],
    [[retention({ maxAge: '7d' })], 7],
    [[retention({ maxAge: '2w' }), retention({ maxAge: '7d' })], 14],
    [[retention({ maxAge: '36h' })], 1.5],
    [[retention({ maxAge: '12h' })], 0.5],
    [['// mine\n{"general": {"sessionRetention": {"maxAge": "1m",}}}'], 30],
    [['{', '[]', retention({ maxAge: 7, enabled: 'no' })], 30],
  ])('%j keeps conversations for %j days', (settings, days) => {
    expect(geminiRetention.days(settings)).toBe(days);
    expect(geminiRetention.sooner?.(settings) === null).toBe(days === null);
  });

  const trust = (rules: object | string) =>
    trustOfGemini([typeof rules === 'string' ? rules : JSON.stringify(rules)], '', ['/link', ACME]).trusted;
  test.each([
    [{}, null],
    ['', null],
    ['{', null],
    [{ [ACME]: 'TRUST_FOLDER' }, true],
    [{ '/home/dev': 'TRUST_FOLDER' }, true],
    [{ '/home/dev': 'TRUST_FOLDER', [ACME]: 'DO_NOT_TRUST' }, false],
    [{ '/home/dev/other': 'TRUST_PARENT' }, true],
    [{ '/home/dev/other': 'TRUST_FOLDER' }, null],
    [{ '/home/dev/acme': 'TRUST_FOLDER' }, null],
    [{ '/link': 'TRUST_FOLDER' }, true],
    [{ [ACME]: 'MAYBE' }, null],
  ])('%j: trusted %s', (rules, trusted) => expect(trust(rules)).toBe(trusted));
});

describe('pi', () => {
  test.each([
    [['--home-dev-acme_http.js--'], 'own'],
    [['--home-dev-acme_http.js-packages-core--'], 'perhaps'],
    [['--home-dev-acme_http.json--'], 'no'],
    [['--home-dev--'], 'no'],
    [['--home-dev-acme_http.js--', 'deeper'], 'no'],
    [[], 'no'],
  ])('%j holds sessions of the project: %s', (names, holding) => {
    expect(piTranscripts.holds(names, ['/elsewhere', ACME])).toBe(holding);
  });

  test('the first line of a session has the folder that it took place in', () => {
    const belonging = (record: unknown) => piTranscripts.belonging(JSON.stringify(record), [ACME]);
    expect(belonging({ type: 'session', cwd: ACME })).toEqual({ cwd: ACME, is_sub_agent: false });
    expect([belonging({ type: 'message', cwd: ACME }), belonging({ type: 'session' }), belonging([])]).toEqual([
      null,
      null,
      null,
    ]);
    expect(piTranscripts.belonging('{"type":"session"', [ACME])).toBeNull();
    expect(['a.jsonl', 'a.json'].map(piTranscripts.isConversation)).toEqual([true, false]);
  });

  test.each([
    ['', null],
    ['[]', null],
    [{ [ACME]: true }, true],
    [{ '/home': true, [ACME]: null }, true],
    [{ '/home': true, '/home/dev': false }, false],
    [{ '/': true }, true],
    [{ '/home/dev/acme': true }, null],
    [{ '/link': true }, true],
    [{ [ACME]: 'yes' }, null],
  ])('%j: trusted %s', (told, trusted) => {
    const text = typeof told === 'string' ? told : JSON.stringify(told);
    expect(trustOfPi([text], '', ['/link', ACME])).toEqual({ events: null, trusted });
  });
});

test.each([
  ['/a/b', true],
  ['/a/b/', true],
  ['/a/b/c', true],
  ['/a/bc', false],
  ['/a', false],
  ['C:\\work\\x', true],
])('%s lies within the project: %s', (folder, is) => expect(isWithin(folder, ['/a/b', 'C:\\work\\'])).toBe(is));

describe('Copilot CLI', () => {
  const start = (data: object): string => JSON.stringify({ type: 'session.start', data, id: 'x', parentId: null });

  test.each([
    [start({ context: { cwd: ACME } }), { cwd: ACME, is_sub_agent: false }],
    [start({ sessionId: 's' }), null],
    ['{"type":"user.message","data":{"context":{"cwd":"/etc"}}}', null],
    ['no JSON', null],
  ])('the line %s belongs to %j', (line, told) => expect(copilotTranscripts.belonging(line, [])).toEqual(told));

  test.each([
    ['id: s1\ncwd: /home/dev/acme http\n', '/home/dev/acme http'],
    ['cwd: "/home/dev/x"\n', '/home/dev/x'],
    ["cwd: '/home/dev/x'  \r\n", '/home/dev/x'],
    ['git:\n  cwd: /etc\n', undefined],
    ['cwd:\n', undefined],
  ])('%j names the project %s', (text, path) => expect(copilotTranscripts.projectFile?.path(text)).toBe(path));
});

describe('Droid', () => {
  const { holds, belonging, isConversation } = droidTranscripts;
  const start = (more: object): string => JSON.stringify({ type: 'session_start', id: 's', title: 'T', ...more });

  test.each([
    [['-home-dev-acme-http'], 'own'],
    [['-home-dev-acme-http-docs'], 'perhaps'],
    [['-home-dev-acme'], 'no'],
    [['btw'], 'perhaps'],
    [['-home-dev-acme-http', 'deeper'], 'no'],
    [[], 'no'],
  ] as const)('the folder %j is %s', (names, held) => expect(holds(names, ['/home/dev/acme-http'])).toBe(held));

  test('a path of Windows keeps the letter of its drive', () => {
    expect(holds(['-C-work-acme'], ['C:\\work\\acme'])).toBe('own');
  });

  test.each([
    [start({ cwd: ACME }), { cwd: ACME, is_sub_agent: false }],
    [start({ cwd: ACME, callingSessionId: 'p', callingToolUseId: 't' }), { cwd: ACME, is_sub_agent: true }],
    [start({}), null],
    ['{"type":"message","cwd":"/etc"}', null],
    ['no JSON', null],
  ])('the line %s belongs to %j', (line, belongs) => expect(belonging(line, [])).toEqual(belongs));

  test('the settings beside a session are no conversation', () => {
    expect(['a.jsonl', 'a.settings.json'].map(isConversation)).toEqual([true, false]);
  });
});

describe('what lies beside conversations', () => {
  test.each<[AgentTranscripts, string, boolean]>([
    [claudeCodeTranscripts, '-p/s1/subagents/agent-1.jsonl', true],
    [claudeCodeTranscripts, '-p/s1/subagents/workflows/r1/journal.jsonl', true],
    [claudeCodeTranscripts, '-p/agent-1.jsonl', true],
    [claudeCodeTranscripts, '-p/s1/agents/new.jsonl', false],
    [claudeCodeTranscripts, '-p/s1.jsonl.zst', false],
    [claudeCodeTranscripts, '-p/memory', true],
    [claudeCodeTranscripts, '-p/memory.jsonl', false],
    [codexTranscripts, '2026/11/01/state_5.sqlite-wal', true],
    [codexTranscripts, '2026/11/01/rollout-1.jsonl.zst', false],
    [geminiTranscripts, 'p/chats/5e551011-0000-4000-8000-000000000001/a.jsonl', true],
    [geminiTranscripts, 'p/chats/archive/a.jsonl', false],
    [piTranscripts, '--p--/index.db', false],
    [piTranscripts, '--p--/._x.jsonl', true],
    [piTranscripts, '--p--/x.jsonl.lock', true],
  ])('%# %s is known: %s', ({ known }, path, is) => expect(knownFile(known, path.split('/')) !== undefined).toBe(is));
});
