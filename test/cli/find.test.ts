// The commands that find: search, show --at, usage, why, blame, pack, reindex, and the server for agents.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { NOON, PROGRAM, type Repo, repository, session } from '../support/cli.ts';

const message = (id: string, role: string, words: string, metadata: object = {}): object => {
  return {
    kind: 'message',
    message: { id, role, parts: [{ type: 'text', text: words }], metadata: { created_at: NOON, ...metadata } },
  };
};

let repo: Repo;

const observe = (...records: object[]): void => {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  expect(repo.run(['observe', 'batch'], { input, now: NOON })).toMatchObject({ code: 0 });
};

beforeAll(() => {
  repo = session('Add retry with backoff');
  observe(
    message('u1', 'user', 'The connection reset needs a retry'),
    message('a1', 'assistant', 'I add an exponential backoff.', {
      model: 'a-model',
      usage: { input: 1200, output: 34 },
    }),
    { kind: 'note', content: 'decision: cap the backoff at one minute' },
  );
  repo.write('src/retry.ts', 'export const retry = 1;\nexport const cap = 60;\n');
  repo.run(['observe', 'write', 'src/retry.ts'], { now: NOON });
  repo.run(['observe', 'command', 'npm test', '--exit-code', '1'], { now: NOON });
  repo.run(['stage', 'compact'], { now: NOON });
  repo.run(['start', 'Raise the timeout'], { now: NOON + 60 });
  observe(message('u2', 'user', 'Raise the timeout to 30 s'));
  repo.run(['flush'], { now: NOON + 60 });
});

interface Hit {
  session_id: string;
  title: string;
  snippets?: { message_id: string; text: string; hits: [number, number][]; role: string }[];
}

describe('ctx search', () => {
  test('shows the session, and who said it', () => {
    const { stdout, stderr, code } = repo.run(['search', 'exponential', 'backoff']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Add retry with backoff\n {2}[0-9a-f]{6} {2}.* Normal\n/);
    expect(stdout).toContain('    assistant: I add an exponential backoff.\n');
    expect(stdout).toContain('    decision: decision: cap the backoff at one minute\n');
  });

  test('answers programs with snippets, whose hits are the words', () => {
    const [hit] = repo.json<Hit[]>(['search', 'exponential']) as [Hit];
    const [snippet] = hit.snippets ?? [];
    expect(snippet).toMatchObject({ message_id: 'a1', role: 'assistant', step: 2 });
    expect(snippet?.hits.map(([begin, end]) => snippet.text.slice(begin, end))).toEqual(['exponential']);
    expect(repo.json<Hit[]>(['search', '--sessions', 'exponential'])[0]).not.toHaveProperty('snippets');
  });

  test.each<[string[], string[]]>([
    [['backoff timeout'], ['Add retry with backoff', 'Raise the timeout']],
    [['+timeout backoff'], ['Raise the timeout']],
    [['"exponential backoff"'], ['Add retry with backoff']],
    [['"backoff exponential"'], []],
    [['raise -timeout'], []],
    [['state:open'], ['Raise the timeout']],
    [['path:src/retry.ts'], ['Add retry with backoff']],
    [['nothing that anybody said: zzzzzz'], []],
  ])('%j', (words, titles) => {
    expect(
      repo
        .json<Hit[]>(['search', ...words])
        .map(({ title }) => title)
        .sort(),
    ).toEqual(titles);
  });

  test('says where else to search if nothing is found', () => {
    const hint = 'hint: The messages of commits are searched with: ctx log --grep <text>\n';
    expect(repo.run(['search', 'zebra-4711'])).toMatchObject({ stdout: 'Nothing found.\n', stderr: hint });
    expect(repo.run(['search', '---']).stderr).not.toContain('--grep');
  });

  test('finds what a misspelt word meant, and says so', () => {
    const { stdout, stderr } = repo.run(['search', 'exponentail']);
    expect(stdout).toContain('exponential backoff');
    expect(stderr).toBe('hint: Nobody said "exponentail": showing results for exponential\n');
  });

  test.each<[string[], string[]]>([
    [['search', '--path', 'src/retry.ts'], ['Add retry with backoff']],
    [['search', '--agent', 'codex'], []],
    [['search', '--state', 'open'], ['Raise the timeout']],
    [
      ['search', '--state', 'running'],
      ['Add retry with backoff', 'Raise the timeout'],
    ],
    [['search', '--state', 'active'], ['Raise the timeout']],
    [['search', '--state', 'paused'], ['Add retry with backoff']],
    [['search', '--state', 'completed'], []],
    [['search', '--state', 'Normal'], ['Add retry with backoff']],
    [['search', '--ending', 'normal'], ['Add retry with backoff']],
    [['search', '--ending', 'stale', 'retry'], []],
    [['search', '--role', 'User', 'reset'], ['Add retry with backoff']],
    [['search', '--type', 'bug'], []],
    [['search', '--role', 'assistant', 'reset'], []],
    [['search', '--since', '2030-01-01', 'timeout'], []],
    [['search', '--until', '2020-01-01', 'retry'], []],
    [['search', '--limit', '1', 'state:open'], ['Raise the timeout']],
    [['search', '-1', 'state:open'], ['Raise the timeout']],
  ])('filters by options: %j', (words, titles) => {
    const found = repo.json<Hit[]>(words).map(({ title }) => title);
    expect(found.sort()).toEqual(titles);
  });

  test('excludes a word behind a dash, wherever it is in the line', () => {
    const titles = (...words: string[]): string[] => repo.json<Hit[]>(['search', ...words]).map(({ title }) => title);
    expect(titles('retry', 'timeout').sort()).toEqual(['Add retry with backoff', 'Raise the timeout']);
    for (const words of [
      ['retry', 'timeout', '-backoff'],
      ['-backoff', '--limit', '5', 'retry', 'timeout'],
      ['retry', '-5', '-backoff', '--', 'timeout'],
    ])
      expect(titles(...words), words.join(' ')).toEqual(['Raise the timeout']);
    expect(repo.refused(['search', 'retry', '--backoff'])).toMatchObject({ exit: 2 });
  });

  test('is bounded to a session by --in', () => {
    const [hit] = repo.json<Hit[]>(['search', 'exponential']) as [Hit];
    expect(repo.json<Hit[]>(['search', 'backoff timeout', '--in', hit.session_id]).map(({ title }) => title)).toEqual([
      'Add retry with backoff',
    ]);
  });

  test('says what it needs, and which session it does not know', () => {
    expect(repo.refused(['search'])).toMatchObject({ exit: 2 });
    expect(repo.refused(['search', 'in:ffffff0000', 'x'])).toMatchObject({ exit: 1, code: 'not_found' });
  });
});

test('ctx show --at opens a session at a message, or at a record', () => {
  const [hit] = repo.json<Hit[]>(['search', 'exponential']) as [Hit];
  const shown = repo.run(['show', hit.session_id, '--at', 'a1']).stdout;
  expect(shown).toMatch(
    /^user .* u1\n {2}The connection reset needs a retry\n\nassistant .* a1\n {2}I add an exponential backoff\.\n$/,
  );
  const decision = repo
    .json<Hit[]>(['search', 'cap', 'minute'])[0]
    ?.snippets?.find(({ text }) => text.includes('minute'));
  expect(repo.run(['show', hit.session_id, '--at', decision?.message_id ?? '']).stdout).toContain(
    'decision: cap the backoff',
  );
  expect(repo.refused(['show', hit.session_id, '--at', 'nothing'])).toMatchObject({ exit: 1, code: 'not_found' });
});

test('ctx usage sums tokens, for people and for spreadsheets', () => {
  expect(repo.run(['usage', '--by', 'model']).stdout).toMatch(/^model +turns .*\na-model +1 +1 +1,200 +34 .*1,234\n/);
  expect(repo.run(['usage', '--csv']).stdout).toBe(
    'day,turns,calls,input,output,reasoning,cache_read,cache_write,total,cost_usd\n2026-01-22,2,1,1200,34,0,0,0,1234,\n',
  );
});

test('ctx usage has every column on a narrow terminal, with rounded numbers and a name that is cut', () => {
  const screenOf = (by: string): string[] =>
    repo
      .run(['usage', '--by', by], { env: { COLUMNS: '64' } })
      .stdout.trimEnd()
      .split('\n');
  const byModel = screenOf('model');
  expect(byModel[0]).toMatch(/^model +turns +calls +input +output +reason +cache r +cache w +total$/);
  expect(byModel[1]).toMatch(/^a-model +1 +1 +1\.2K +34 +0 +0 +0 +1\.23K$/);
  expect(byModel.at(-1)).toMatch(/^total .* 1\.23K$/);
  const bySession = screenOf('session');
  expect(bySession.filter((line) => line.length > 64 || !/(total|\d|K)$/.test(line))).toEqual([]);
  expect(bySession[1]).toContain('…');
});

test('ctx usage counts only the calls of a time', () => {
  type Usage = { total: { calls: number } };
  expect(repo.json<Usage>(['usage', '--since', '2030-01-01']).total.calls).toBe(0);
  expect(repo.json<Usage>(['usage', '--until', '2030-01-01']).total.calls).toBe(1);
});

test('ctx why names the sessions of a file, and the step that wrote a line', () => {
  expect(repo.run(['why', 'src/retry.ts']).stdout).toMatch(
    /^Add retry with backoff\n .*wrote in step 2\n {4}user: The connection reset needs a retry\n$/,
  );
  expect(repo.run(['why', 'src/retry.ts:2']).stdout).toMatch(
    /^src\/retry\.ts:2: export const cap = 60;\n {2}written by step 2 of /,
  );
  expect(repo.refused(['why', 'src/retry.ts:9'])).toMatchObject({ exit: 1, code: 'not_found' });
  expect(repo.refused(['why', 'nowhere.ts'])).toMatchObject({ exit: 1, code: 'not_found' });
});

test('ctx blame names the step of each line, and of a line that is in no session that it is not', () => {
  const twin = repo.copy();
  twin.write('src/retry.ts', 'export const retry = 1;\nexport const cap = 60;\nexport const mine = 3;\n');
  const lines = twin.json<{ lines: { origin: string; step: number | null; commit: string | null }[] }>([
    'blame',
    'src/retry.ts',
  ]).lines;
  expect(lines.map(({ origin, step }) => [origin, step])).toEqual([
    ['step', 2],
    ['step', 2],
    ['unsaved', null],
  ]);
  const { stdout } = twin.run(['blame', '--porcelain', 'src/retry.ts']);
  expect(stdout).toMatch(new RegExp(`^${lines[0]?.commit} 1 1 2\nauthor `));
  expect(twin.git('cat-file', '-t', lines[0]?.commit ?? '').trim()).toBe('commit');
  expect(stdout).toContain(`\n${'0'.repeat(40)} 3 3 1\n`);
});

test('ctx blame gives a session only the lines that its edit wrote', () => {
  const twin = repository();
  const path = `${twin.dir}/app.js`;
  const hook = (event: string, fields: object, now: number): void => {
    const session_id = 'b1111111-0000-4000-8000-000000000001';
    const input = JSON.stringify({ session_id, cwd: twin.dir, hook_event_name: event, ...fields });
    expect(twin.run(['hook', 'claude-code'], { input, now })).toMatchObject({ code: 0 });
  };
  const edit = (old: string, before: string, after: string, now: number): void => {
    twin.write('app.js', old.replace(before, after));
    const fields = {
      tool_name: 'Edit',
      tool_use_id: `toolu_${now}`,
      tool_input: { file_path: path, old_string: before, new_string: after },
      tool_response: { filePath: path, oldString: before, newString: after, originalFile: old, structuredPatch: [] },
    };
    hook('PostToolUse', fields, now);
  };
  const origins = (): string[] =>
    twin
      .json<{ lines: { text: string; origin: string }[] }>(['blame', 'app.js'])
      .lines.map(({ text, origin }) => `${text}: ${origin}`);
  hook('UserPromptSubmit', { prompt: 'Add a line to app.js' }, NOON + 119);
  edit('one\ntwo\nthree\n', 'two\n', 'two\nnew\n', NOON + 120);
  twin.run(['flush'], { now: NOON + 121 });
  expect(origins()).toEqual(['one: older', 'two: older', 'new: step', 'three: older']);
  // Somebody adds a line by hand, and the next edit is of another one.
  edit('one\ntwo\nnew\nthree\nby hand\n', 'one', 'first', NOON + 180);
  twin.run(['flush'], { now: NOON + 181 });
  expect(origins()).toEqual(['first: step', 'two: older', 'new: step', 'three: older', 'by hand: outside']);
});

test('ctx pack puts decisions first, quotes everything, and keeps to its budget', () => {
  const pack = repo.json<{ items: { kind: string }[]; text: string; tokens: number }>([
    'pack',
    'How is the backoff capped?',
  ]);
  expect(pack.items[0]?.kind).toBe('decision');
  expect(pack.text).toContain('"decision: cap the backoff at one minute"');
  expect(pack.text).toContain('"npm test (exit 1)"');
  expect(repo.run(['pack', 'How is the backoff capped?']).stdout).toBe(pack.text);
  const about = repo.json<{ items: object[] }>(['pack', '--path', 'nowhere.ts', '--depth', '0', 'backoff']);
  expect(about.items).toEqual([]);
  const { stdout } = repo.run(['pack', '--format', 'json', 'How is the backoff capped?']);
  expect(JSON.parse(stdout)).toEqual(pack);
  for (const budget of [0, 20, 60, 100, 200]) {
    const small = repo.json<{ tokens: number }>(['pack', '--budget', String(budget), 'How is the backoff capped?']);
    expect(small.tokens).toBeLessThanOrEqual(budget);
  }
});

test('ctx reindex, doctor and du know the catalog', () => {
  const twin = repo.copy();
  expect(twin.run(['reindex']).stdout).toMatch(
    /^Indexed 2 sessions with \d+ messages, and 2 commits: .* in cache\/catalog\.\n$/,
  );
  expect(twin.run(['doctor']).stdout).toMatch(/ok +catalog +.* of 2 sessions, written /);
  expect(twin.json<{ rows: { name: string }[] }>(['du']).rows.map(({ name }) => name)).toContain('catalog');
});

test('ctx mcp answers an agent by the tools of the protocol', async () => {
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: repo.dir, stderr: 'pipe' }),
  );
  const ask = async (name: string, input: object): Promise<{ text: string; isError: boolean }> => {
    const answer = await client.callTool({ name, arguments: input as Record<string, unknown> });
    const [content] = answer.content as { text: string }[];
    return { text: content?.text ?? '', isError: answer.isError === true };
  };
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual(
      ['search', 'show', 'pack', 'why', 'list'].map((name) => [name, true]),
    );
    expect((await ask('search', { query: 'exponential' })).text).toContain('"message_id": "a1"');
    expect((await ask('pack', { question: 'backoff' })).text).toContain('cap the backoff at one minute');
    expect((await ask('why', { path: 'src/retry.ts', line: 1 })).text).toContain('"origin": "step"');
    expect((await ask('list', {})).text).toContain('Raise the timeout');
    const [hit] = repo.json<Hit[]>(['search', 'exponential']) as [Hit];
    expect((await ask('show', { session: hit.session_id, at: 'a1' })).text).toContain('exponential backoff');
    expect(await ask('search', {})).toEqual({ text: 'Give query.', isError: true });
    expect(await ask('nothing', {})).toMatchObject({ isError: true });
    // A record that another process adds meanwhile is found.
    repo.run(['observe', 'note', 'a remark about marmalade'], { now: NOON });
    repo.run(['flush'], { now: NOON });
    expect((await ask('search', { query: 'marmalade' })).text).toContain('Raise the timeout');
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name).sort()).toEqual(['Add retry with backoff', 'Raise the timeout']);
    const read = await client.readResource({ uri: `ctx://session/${hit.session_id}` });
    expect(JSON.stringify(read)).toContain('exponential backoff');
  } finally {
    await client.close();
  }
});

test('ctx mcp answers every question of an input that has ended, to a slow reader too', async () => {
  const big = repo.copy();
  const text = 'sand '.repeat(20_000);
  big.run(['observe', 'batch'], { input: `${JSON.stringify(message('big', 'user', text))}\n`, now: NOON });
  const [{ session_id: id } = { session_id: '' }] = big.json<{ session_id: string }[]>(['list', '--open']);
  const asked = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0
      ? { id: at + 1, method: 'resources/read', params: { uri: `ctx://session/${id}` } }
      : { id: at + 1, method: 'tools/call', params: { name: 'pack', arguments: { question: 'backoff' } } },
  );
  const clientInfo = { name: 'a test', version: '1' };
  const first = {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  };
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: big.dir, stdio: ['pipe', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  child.stdin.end([first, ...asked].map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  await once(child.stdout, 'readable');
  let answers = '';
  for await (const bytes of child.stdout) {
    answers += bytes;
    await new Promise(setImmediate);
  }
  const lines = answers
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result?: object });
  expect(lines.map((line) => line.id).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 21 }, (_, at) => at),
  );
  expect(lines.every(({ result }) => result !== undefined)).toBe(true);
  expect(Buffer.concat(said).toString()).toBe('');
});
