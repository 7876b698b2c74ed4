// Conversations that begin, one after the other, in several agents: each is a session of its own, and what was finished is saved.
import { beforeAll, describe, expect, test } from 'vitest';
import { json, NOON, repository, run } from '../support/cli.ts';

const HOUR = 3600;

interface Ended {
  message: string;
  title: string;
  commit_type: { kind: string };
  session_state: { kind: string };
  agent?: string;
}

/** The words of three agents for the same events. */
const EVENTS = {
  'claude-code': {
    start: 'SessionStart',
    prompt: 'UserPromptSubmit',
    tool: 'PostToolUse',
    end: 'Stop',
    quit: 'SessionEnd',
  },
  codex: { start: 'SessionStart', prompt: 'UserPromptSubmit', tool: 'PostToolUse', end: 'Stop', quit: 'SessionEnd' },
  gemini: { start: 'SessionStart', prompt: 'BeforeAgent', tool: 'AfterTool', end: 'AfterAgent', quit: 'SessionEnd' },
} as const;
type Agent = keyof typeof EVENTS;

/** A day of hooks in one project. */
class Day {
  readonly dir: string;
  events = 0;
  /** Contexts that agents got, in order. */
  readonly heard: string[] = [];
  #now = NOON;

  constructor() {
    this.dir = repository({ now: NOON }).dir;
  }

  hook(agent: Agent, event: keyof (typeof EVENTS)['gemini'], id: string, fields: object = {}): string {
    this.events += 1;
    this.#now += 60;
    const payload = { session_id: id, cwd: this.dir, hook_event_name: EVENTS[agent][event], ...fields };
    const { stdout, code } = run(['hook', agent], { cwd: this.dir, now: this.#now, input: JSON.stringify(payload) });
    expect(code).toBe(0);
    if (stdout.trim() === '') return '';
    const context = JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '';
    this.heard.push(context);
    return context;
  }

  start(agent: Agent, id: string, source = 'startup'): string {
    return this.hook(agent, 'start', id, { source });
  }

  prompt(agent: Agent, id: string, prompt: string): string {
    return this.hook(agent, 'prompt', id, { prompt });
  }

  /** A prompt, a tool and the end of the turn. */
  turn(agent: Agent, id: string, prompt: string, answer: string | null): string {
    const context = this.prompt(agent, id, prompt);
    const tool = {
      tool_name: agent === 'gemini' ? 'write_file' : 'Write',
      tool_input: { file_path: `${id}.ts`, content: 'x' },
    };
    this.hook(agent, 'tool', id, { ...tool, tool_response: { ok: true } });
    if (answer !== null) {
      const said = agent === 'gemini' ? { prompt, prompt_response: answer } : { last_assistant_message: answer };
      this.hook(agent, 'end', id, said);
    }
    return context;
  }

  pause(hours: number): void {
    this.#now += hours * HOUR;
  }

  log(): Ended[] {
    return json<Ended[]>(['log'], { cwd: this.dir, now: this.#now });
  }

  open(): { title: string; state: string }[] {
    const all = json<{ title: string; state: string; open: boolean }[]>(['list'], { cwd: this.dir, now: this.#now });
    return all.filter(({ open }) => open).map(({ title, state }) => ({ title, state }));
  }
}

const TASKS = [
  'Fix the rounding of the tax in the invoice',
  'Write a script that lists stale branches',
  'the login page is blank on Safari',
  'Upgrade eslint to version 9',
  'how does the importer find duplicates?',
  'Add a dark mode toggle to the settings',
  'translate the error messages into German',
  'Measure how long the nightly build takes',
];

describe('eight conversations with a task each, one after the other', () => {
  const day = new Day();
  beforeAll(() => {
    for (const [index, task] of TASKS.entries()) {
      const id = `c${index}`;
      day.start('claude-code', id);
      day.turn('claude-code', id, task, `All of it is done: ${task}.`);
      day.hook('claude-code', 'quit', id, { reason: 'other' });
    }
  });

  test('are eight sessions, each called after its own prompt', () => {
    const titles = [...day.log().map(({ title }) => title), ...day.open().map(({ title }) => title)];
    expect(titles).toHaveLength(8);
    expect(new Set(titles).size).toBe(8);
  });

  test('the first seven are in the log, finished, without anybody having typed a command', () => {
    expect(day.log()).toHaveLength(7);
    expect(new Set(day.log().map(({ session_state }) => session_state.kind))).toEqual(new Set(['PendingComplete']));
    expect(day.open()).toHaveLength(1);
  });

  test('no agent was asked anything, or given an order before the words of its user', () => {
    expect(day.heard.join('\n')).not.toMatch(/has a question|before anything else|Put it to them/);
    expect(day.heard.filter((text) => text.includes('was saved')).length).toBe(7);
  });
});

describe('a day of three agents', () => {
  const day = new Day();
  let note = '';
  beforeAll(() => {
    // Claude Code: finished, corrected, confirmed.
    day.start('claude-code', 'a1');
    day.turn('claude-code', 'a1', 'Add retry to the client', 'I added retry with full jitter. All tests pass.');
    day.turn('claude-code', 'a1', 'make it 5 not 3', 'It is 5 now.');
    day.turn('claude-code', 'a1', 'perfect, thanks', 'Glad to hear it.');
    // Codex: broken off.
    day.start('codex', 'b1');
    day.turn('codex', 'b1', 'Move the parser into a package', null);
    day.pause(2);
    // Gemini: asks, is answered, finishes.
    day.start('gemini', 'g1');
    day.turn('gemini', 'g1', 'Write the release notes', 'Which version should they be for?');
    day.turn('gemini', 'g1', 'for 2.3', 'The notes of 2.3 are written.');
    // Codex begins again: the broken one stays open.
    day.start('codex', 'b2');
    day.turn('codex', 'b2', 'Fix the flaky test in scheduler.test.ts', 'The test waits for the clock now. Done.');
    // Claude Code: two tasks in one conversation, the second one announced.
    day.start('claude-code', 'a2', 'clear');
    day.turn('claude-code', 'a2', 'Cap the page size at 100', 'Capped, with a test.');
    note = day.turn(
      'claude-code',
      'a2',
      'New task: document the environment variables',
      'docs/env.md lists all of them.',
    );
    day.hook('claude-code', 'quit', 'a2', { reason: 'other' });
    day.pause(3);
    day.start('gemini', 'g2');
    day.turn('gemini', 'g2', 'Rename the flag --dry to --dry-run', 'Renamed everywhere.');
    day.start('codex', 'b3');
    day.turn('codex', 'b3', 'Delete the unused fixtures', 'Nine files are gone.');
  });

  test('has at least 40 events', () => expect(day.events).toBeGreaterThanOrEqual(40));

  test('fills the log by itself, with how each session ended', () => {
    const log = day.log().map(({ title, commit_type, session_state }) => [title, commit_type.kind, session_state.kind]);
    expect(log.reverse()).toEqual([
      ['Add retry to the client', 'Normal', 'Complete'],
      ['Write the release notes', 'InterruptedByNewTask', 'PendingComplete'],
      ['Fix the flaky test in scheduler.test.ts', 'InterruptedByNewTask', 'PendingComplete'],
      ['Cap the page size at 100', 'InterruptedByNewTask', 'PendingComplete'],
    ]);
  });

  test('leaves open what was broken off, and the last session of each agent', () => {
    expect(
      day
        .open()
        .map(({ title, state }) => `${title}: ${state}`)
        .sort(),
    ).toEqual([
      'Delete the unused fixtures: PendingComplete',
      'Move the parser into a package: Running',
      'Rename the flag --dry to --dry-run: PendingComplete',
      'document the environment variables: PendingComplete',
    ]);
  });

  test('gives an agent one passive line about what was saved, and no question', () => {
    expect(note).toBe(
      'From ctx, the memory of this project, for your information: the finished session “Cap the page size at 100” was saved, and this task begins a new one (ctx undo takes that back).',
    );
    expect(day.heard.join('\n')).not.toContain('has a question');
  });
});

describe('a question of ctx in a hook', () => {
  const day = new Day();
  let question = '';
  beforeAll(() => {
    day.turn('claude-code', 'a', 'Add retry to the client', null);
    question = day.prompt('claude-code', 'a', 'New task: write the docs');
  });

  test('is a note that lets the agent work on', () => {
    expect(question).toMatch(
      /^A note from ctx, .* Work on as they asked, and mention it once, at the end of your answer/,
    );
    expect(question).toContain('> You have unfinished work on: Add retry to the client');
    expect(question).not.toContain('before anything else');
  });

  test('is not put again to another conversation', () => {
    expect(day.start('claude-code', 'b')).not.toContain('has a question');
    expect(day.start('claude-code', 'a', 'resume')).toContain('has a question');
  });
});

describe('a conversation that begins again under its own id', () => {
  const again = (prompt: string, source = 'clear'): Day => {
    const day = new Day();
    day.turn('gemini', 'g', 'Add retry to the client', 'Retry is in. Done.');
    day.start('gemini', 'g', source);
    day.prompt('gemini', 'g', prompt);
    return day;
  };

  test('is a session of its own behind finished work, whatever its first prompt asks', () => {
    const day = again('the upload fails for large files');
    expect(day.log().map(({ title }) => title)).toEqual(['Add retry to the client']);
    expect(day.open().map(({ title }) => title)).toEqual(['the upload fails for large files']);
  });

  test('a resumed one continues, and approval of what was finished confirms it', () => {
    expect(again('the upload fails for large files', 'resume').log()).toEqual([]);
    const day = again('looks good, thanks');
    expect(day.open().map(({ state }) => state)).toEqual(['Complete']);
  });
});
