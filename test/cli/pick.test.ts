// The picker of ctx resume: keys, the search in what a list shows, the picture, and a terminal of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { saidApart } from '../../src/app/resume/find.ts';
import type { ResumableRow } from '../../src/app/resume/resumable.ts';
import { PLAIN } from '../../src/cli/frame/theme.ts';
import { matcher } from '../../src/cli/pick/match.ts';
import { type PickTerminal, pickSession } from '../../src/cli/pick/pick.ts';
import { screen } from '../../src/cli/pick/screen.ts';
import { type Key, newPicker, type Picker, press, type Search } from '../../src/cli/pick/state.ts';
import { folder, NOON, PROGRAM, repository } from '../support/cli.ts';
import { fc, hostileText } from '../support/property.ts';

let count = 0;
function row(title: string, more: Partial<ResumableRow> = {}): ResumableRow {
  count += 1;
  const session_id = `019b0000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  return {
    ...{ session_id, short_id: session_id.slice(-6), title, task_description: `the task of ${title}`, type: null },
    ...{ agent: 'codex', project: null, agent_session_id: null, open: true, state: 'Running', status: 'paused' },
    ...{ ending: null, started_at: NOON, last_activity: NOON, steps: 1, parent_session_id: null, continues: null },
    ...{
      parent_message_id: null,
      ephemeral: false,
      resumes: null,
      summary: null,
      number: count,
      name: `001-session-${title}`,
    },
    ...more,
  };
}

const ROWS = [
  row('API Design Discussion', { summary: 'Leaning toward REST' }),
  row('Auth Token Expiry Issue', { type: 'debug' }),
  row('Retry with backoff'),
];
const titles = (rows: readonly Pick<ResumableRow, 'title'>[]): string[] => rows.map(({ title }) => title);

describe('the search', () => {
  const find = matcher(ROWS, (text) => (text === 'plover' ? [(ROWS[2] as ResumableRow).session_id] : []));

  test.each<[string, string, string[]]>([
    ['nothing typed', '', ['API Design Discussion', 'Auth Token Expiry Issue', 'Retry with backoff']],
    ['a part of a title', 'toke', ['Auth Token Expiry Issue']],
    ['two words in another order', 'expiry auth', ['Auth Token Expiry Issue']],
    ['a letter too few', 'desgn', ['API Design Discussion']],
    ['a letter too many', 'backkoff', ['Retry with backoff']],
    ['a wrong letter', 'tokan', ['Auth Token Expiry Issue']],
    ['two letters exchanged', 'expriy', ['Auth Token Expiry Issue']],
    ['a word of a summary', 'leaning', ['API Design Discussion']],
    ['a type', 'debug', ['Auth Token Expiry Issue']],
    ['what was said, from three letters on', 'plover', ['Retry with backoff']],
    ['nothing like it', 'zebra', []],
  ])('%s: %j', (_name, query, expected) => expect(titles(find(query)).sort()).toEqual([...expected].sort()));

  test('asks what was said from three letters on only', () => {
    const asked: string[] = [];
    const search = matcher(ROWS, (text) => {
      asked.push(text);
      return [];
    });
    for (const query of ['p', 'pl', 'plo']) search(query);
    expect(asked).toEqual(['plo']);
  });
});

const search: Search = (query, scope) => {
  const rows = scope === 'all' ? ROWS : ROWS.slice(0, 2);
  return matcher(rows)(query);
};
const typed = (...keys: (string | Key)[]): Picker =>
  keys.reduce<Picker>(
    (picker, key) => press(picker, typeof key === 'string' ? { name: key, text: key } : key, search),
    newPicker(search, 'project'),
  );
const key = (name: string): Key => ({ name });
const control = (name: string): Key => ({ name, ctrl: true });

describe('the keys', () => {
  test('letters are typed, and taken back letter by letter, word by word, or all', () => {
    expect(typed('a', 'u', 't').query).toBe('aut');
    expect(typed('a', { text: '😀' }, key('backspace')).query).toBe('a');
    expect(typed('a', 'b', { name: 'space', text: ' ' }, 'c', control('w')).query).toBe('ab ');
    expect(typed('a', 'b', control('u')).query).toBe('');
    expect(typed({ text: 'pasted\u001b text' }).query).toBe('pasted text');
  });

  test('the mark moves within the list, and goes back to its top with each search', () => {
    expect(typed(key('down')).marked).toBe(1);
    expect(typed(key('down'), key('down'), key('down')).marked).toBe(1);
    expect(typed(control('n'), control('p'), key('up')).marked).toBe(0);
    expect(typed(key('end')).marked).toBe(1);
    expect(typed(key('down'), 'a').marked).toBe(0);
  });

  test('Tab shows all projects of the store, and this one again', () => {
    expect(typed(key('tab'))).toMatchObject({ scope: 'all', rows: ROWS });
    expect(typed(key('tab'), key('tab')).scope).toBe('project');
  });

  test('Enter takes the marked session, and nothing if none matches', () => {
    expect(typed(key('down'), key('return')).ended?.chosen?.title).toBe('Auth Token Expiry Issue');
    expect(typed('z', 'q', 'z', key('return')).ended).toBeNull();
  });

  test.each([control('c'), control('d'), key('escape')])('%j leaves', (left) => {
    expect(typed('a', left).ended).toEqual({ chosen: null });
  });

  test('whatever is typed, the mark is on a session that is shown', () => {
    const anyKey = fc.oneof(
      fc.constantFrom('up', 'down', 'pageup', 'pagedown', 'home', 'end', 'tab', 'backspace').map(key),
      fc.constantFrom('n', 'p', 'u', 'w', 'h').map(control),
      hostileText(3).map((text): Key => ({ text })),
    );
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 20 }), (keys) => {
        const { marked, rows, query } = typed(...keys);
        expect(marked).toBeGreaterThanOrEqual(0);
        expect(marked).toBeLessThanOrEqual(Math.max(0, rows.length - 1));
        expect(query).not.toMatch(/[\p{Cc}]/u);
      }),
    );
  });
});

describe('the picture', () => {
  test('shows the query, the sessions, and what is known of the marked one', () => {
    const picture = screen(typed('a', key('down')), { columns: 80, rows: 24 }, NOON + 7200, PLAIN);
    expect(picture.join('\n')).toMatchInlineSnapshot(`
      "? Resume: a
      2 sessions, this project
      [session] API Design Discussion 2 hours ago, paused
      ❯ [debug] Auth Token Expiry Issue 2 hours ago, paused

      Auth Token Expiry Issue
      last active 2 hours ago | paused | agent codex | id 000002
      Task: the task of Auth Token Expiry Issue
      Stopped at: -
      type to search ↑↓ choose Enter resume Tab this project/all Esc leave"
    `);
  });

  test('fits any terminal, whatever sessions say of themselves', () => {
    const rows = fc.array(
      fc.tuple(hostileText(), hostileText()).map(([title, summary]) => row(title, { summary, type: title })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 12, max: 120 }),
        fc.integer({ min: 6, max: 50 }),
        fc.nat(40),
        (all, columns, lines, at) => {
          const picker: Picker = {
            query: 'x',
            scope: 'all',
            rows: all,
            marked: Math.max(0, Math.min(at, all.length - 1)),
            ended: null,
          };
          const picture = screen(picker, { columns, rows: lines }, NOON, PLAIN);
          expect(picture.length).toBeLessThan(lines);
          for (const line of picture) {
            expect(stringWidth(line)).toBeLessThan(columns + 2);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
          if (all.length > 0) expect(picture.some((line) => line.startsWith('❯'))).toBe(true);
        },
      ),
    );
  });
});

/** A terminal that is none: what is typed into it, and what it shows. */
function terminal(): PickTerminal & { type: (text: string) => void; shown: () => string } {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  return {
    input: input as never,
    output: output as never,
    type: (text) => void input.write(text),
    shown: () => String(output.read() ?? ''),
  };
}

/** Runs a command line on a pseudo-terminal, and types once the picture is there. */
async function onTerminal(line: string, keys: string, cwd: string): Promise<{ code: number | null; shown: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm', CTX_NOW: String(NOON) };
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  let shown = '';
  let isTyped = false;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece;
    if (isTyped || !shown.includes('Esc leave')) return;
    isTyped = true;
    child.stdin.write(keys);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  child.stdin.destroy();
  return { code, shown };
}

describe('on a terminal', () => {
  test('what is typed finds a session, and Enter takes it', async () => {
    const screenOf = terminal();
    const picked = pickSession(ROWS, NOON, ['/p'], undefined, screenOf);
    for (const text of ['a', 'u', 't', 'h', '\r']) screenOf.type(text);
    expect((await picked)?.title).toBe('Auth Token Expiry Issue');
    const shown = screenOf.shown();
    expect(shown.startsWith('\u001b[?25l')).toBe(true);
    expect(shown.endsWith('\u001b[0J\u001b[?25h')).toBe(true);
  });

  test('what was said is found once the user pauses, and no key waits for it', async () => {
    const screenOf = terminal();
    const asked: string[] = [];
    const said = (text: string): string[] => {
      asked.push(text);
      return [(ROWS[2] as ResumableRow).session_id];
    };
    const picked = pickSession(ROWS, NOON, ['/p'], said, screenOf);
    for (const text of ['p', 'l', 'o', 'v', 'e', 'r']) screenOf.type(text);
    expect(asked).toEqual([]);
    let shown = '';
    const whatIsShown = (): string => {
      shown += screenOf.shown();
      return shown;
    };
    // The line is shown once more, behind those that were shown before anything was typed.
    await expect.poll(whatIsShown, { timeout: 10_000 }).toMatch(/Resume: plover[^?]*❯[^\n]*Retry with backoff/);
    screenOf.type('\r');
    expect((await picked)?.session_id).toBe((ROWS[2] as ResumableRow).session_id);
    expect(asked).toEqual(['plover']);
  });

  test('a search of what was said that is not over is aborted by the next key, and when the user leaves', async () => {
    const screenOf = terminal();
    const asked: AbortSignal[] = [];
    const said = (_text: string, signal: AbortSignal): Promise<string[]> => {
      asked.push(signal);
      return new Promise(() => undefined);
    };
    const picked = pickSession(ROWS, NOON, ['/p'], said, screenOf);
    screenOf.type('plo');
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
    screenOf.type('v');
    await expect.poll(() => asked.map(({ aborted }) => aborted), { timeout: 10_000 }).toEqual([true, false]);
    screenOf.type('\u0003');
    expect(await picked).toBeNull();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test('what was said is searched in a process of its own, which finds nothing once it is aborted', async () => {
    const repo = repository({ now: NOON });
    repo.run(['start', 'Auth token expiry']);
    repo.run(['observe', 'note', 'the banner is teal as a plover']);
    repo.run(['stop']);
    const around = { directory: repo.dir, environment: { PATH: process.env['PATH'], HOME: repo.dir } };
    const search = saidApart([PROGRAM], around);
    const [row] = repo.json<{ session_id: string }[]>(['list']);
    expect(await search('plover "banner', new AbortController().signal)).toEqual([row?.session_id]);
    expect(await search('plover zebra', new AbortController().signal)).toEqual([]);
    expect(await search('plover', AbortSignal.abort())).toEqual([]);
    const nowhere = saidApart([PROGRAM], { ...around, directory: folder('nowhere-') });
    expect(await nowhere('plover', new AbortController().signal)).toEqual([]);
  });

  test.each(['\u0003', '\u0004'])('%j leaves without a choice, and shows the cursor again', async (left) => {
    const screenOf = terminal();
    const picked = pickSession(ROWS, NOON, ['/p'], undefined, screenOf);
    screenOf.type(left);
    expect(await picked).toBeNull();
    expect(screenOf.shown().endsWith('\u001b[?25h')).toBe(true);
  });

  test('a terminal that goes away leaves without a choice', async () => {
    const screenOf = terminal();
    const picked = pickSession(ROWS, NOON, ['/p'], undefined, screenOf);
    (screenOf.input as unknown as PassThrough).end();
    expect(await picked).toBeNull();
  });

  test.skipIf(!existsSync('/usr/bin/script'))(
    'the program asks on a real terminal, and resumes what is chosen',
    async () => {
      const repo = repository({ now: NOON });
      for (const task of ['Auth token expiry', 'Retry with backoff']) {
        repo.run(['start', task]);
        repo.run(['stop']);
      }
      const line = `stty cols 80 rows 24; exec ${process.execPath} ${PROGRAM} resume --no-launch --context context.md`;
      const left = await onTerminal(line, '\u0003', repo.dir);
      expect(left.code).toBe(1);
      expect(repo.json(['status'])).toMatchObject({ active: false });
      const chosen = await onTerminal(line, 'tokne\r', repo.dir);
      expect(chosen).toMatchObject({ code: 0 });
      expect(chosen.shown).toContain('Auth token expiry');
      expect(repo.json(['status'])).toMatchObject({ title: 'Auth token expiry', status: 'active' });
    },
  );
});
