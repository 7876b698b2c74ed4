// Our plugin in opencode 2, with the real hook command behind it: what comes to ctx of prompts, tools, questions and ends of turns.
import { beforeEach, describe, expect, test } from 'vitest';
import { PROGRAM } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { answerOf, loadOpencode, probe, type SecondHost, type SecondOptions, secondWith } from './support/own-files.ts';
import { sound, statusOf, workTree } from './support/projects.ts';

const sessionID = 'ses_a';
let dir: string;
beforeEach(() => {
  dir = workTree();
});

const asked = (text: string, of = sessionID) => ({
  sessionID: of,
  messageID: 'msg_1',
  prompt: { text },
  delivery: 'steer',
});
const ran = (command: string, exit: number) => ({
  ...{ tool: 'shell', sessionID, messageID: 'msg_2', id: 'call_1', input: { command }, status: 'completed' },
  result: { content: [{ type: 'text', text: 'apples' }], metadata: { exit } },
});

/** A turn as opencode 2 tells of it. */
async function turn(
  host: SecondHost,
  prompt: string,
  answer: string,
  end = 'succeeded',
  more: object = {},
): Promise<void> {
  await host.calls('session.prompt', asked(prompt));
  await host.tells('session.execution.started', { sessionID }, dir);
  await host.tells('session.text.ended', { sessionID, assistantMessageID: 'msg_2', ordinal: 0, text: answer }, dir);
  await host.tells(`session.execution.${end}`, { sessionID, ...more }, dir);
}

test('both generations find in it what they take, and nothing else', async () => {
  const plugin = await loadOpencode('true');
  expect(Object.entries(plugin).map(([name, value]) => [name, typeof value])).toEqual([
    ['id', 'string'],
    ['server', 'function'],
    ['setup', 'function'],
  ]);
});

describe('a session', () => {
  const real = (more: Partial<SecondOptions> = {}) =>
    secondWith(`'${process.execPath}' '${PROGRAM}' hook opencode`, { here: dir, sessions: { ses_a: {} }, ...more });
  const moves = (): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => / → /.test(line));

  test('is begun by its first prompt, keeps commands, and is finished by the end of the turn', async () => {
    const host = await real();
    await host.calls('session.prompt', asked('Sort the list.'));
    await host.calls('tool.execute.after', ran('sort list.txt', 3));
    await host.tells('session.text.ended', { sessionID, text: 'It is sorted.' }, dir);
    await host.tells('session.execution.succeeded', { sessionID }, dir);
    await host.unloads();
    sound(dir);
    expect(statusOf(dir)).toMatchObject({
      task_description: 'Sort the list.',
      session_state: { kind: 'PendingComplete', summary: 'It is sorted.' },
    });
    expect(recordsOf(dir, 'STAGE')).toContainEqual(
      expect.objectContaining({ kind: 'command', command: 'sort list.txt', exit_code: 3, output: 'apples' }),
    );
  });

  test.each([
    ['interrupted', { reason: 'user' }],
    ['failed', { error: { type: 'unknown', message: 'No model' } }],
  ])('whose turn is %s is interrupted, and its next turn continues it', async (end, more) => {
    const host = await real();
    await turn(host, 'Sort the list.', 'I begin', end, more);
    await turn(host, 'Go on, backwards.', 'It is sorted.');
    await host.unloads();
    expect(moves()).toEqual([
      expect.stringContaining('Interrupted'),
      expect.stringContaining('Running'),
      expect.stringContaining('PendingComplete'),
    ]);
  });

  test.each(['shutdown', 'superseded'])('whose turn ends with %s continues', async (reason) => {
    const host = await real();
    await turn(host, 'Sort the list.', 'I begin', 'interrupted', { reason });
    await host.unloads();
    expect(moves()).toEqual([]);
  });

  test('does not change if a compaction between two turns ends or fails', async () => {
    const host = await real();
    await turn(host, 'Sort the list.', 'It is sorted.');
    await host.calls('session.compaction', { sessionID });
    await host.tells('session.execution.succeeded', { sessionID }, dir);
    await host.tells('session.execution.failed', { sessionID, error: {} }, dir);
    await host.unloads();
    expect(moves()).toEqual([expect.stringContaining('PendingComplete')]);
  });
});

describe('the events of the plugin', () => {
  async function told(more: Partial<SecondOptions>, day: (host: SecondHost) => Promise<void>, answer = '') {
    const { command, told: all } = probe(answer);
    const host = await secondWith(command, { here: dir, sessions: { ses_a: {} }, ...more });
    await day(host);
    await host.unloads();
    return all();
  }
  const eventsOf = (all: Record<string, unknown>[]): unknown[] => all.map(({ hook_event_name: name }) => name);

  test('report a prompt from the inbox, once, in a version without a hook for prompts', async () => {
    const enqueued = {
      sessionID,
      inboxID: 'msg_1',
      item: { type: 'user', payload: { text: 'Sort.' }, delivery: 'steer' },
    };
    const both = async (host: SecondHost) => {
      await host.calls('session.prompt', asked('Sort.'));
      await host.tells('session.inbox.enqueued', enqueued, dir);
      await host.tells(
        'session.inbox.enqueued',
        { ...enqueued, item: { type: 'synthetic', payload: { text: 'No.' } } },
        dir,
      );
    };
    const prompts = (all: Record<string, unknown>[]) => all.flatMap(({ prompt }) => prompt ?? []);
    expect(prompts(await told({}, both))).toEqual(['Sort.']);
    expect(prompts(await told({ lacks: ['session.prompt'] }, both))).toEqual(['Sort.']);
  });

  test('report a new session if nothing was used in it yet, or its beginning was reported', async () => {
    const source = async (sessions: NonNullable<SecondOptions['sessions']>, day = async (_host: SecondHost) => {}) => {
      const all = await told({ sessions }, async (host) => {
        await day(host);
        await host.calls('session.prompt', asked('Sort.'));
      });
      return all[0]?.['source'];
    };
    expect(await source({ ses_a: { tokens: { input: 0, output: 0 } } })).toBe('startup');
    expect(await source({ ses_a: { tokens: { input: 9, output: 1 } } })).toBe('resume');
    expect(await source({})).toBe('resume');
    expect(await source({}, (host) => host.tells('session.created', { sessionID, location: { directory: dir } }))).toBe(
      'startup',
    );
  });

  test('record the work of a sub-agent with its caller, and its task as no prompt', async () => {
    const all = await told({ sessions: { ses_a: {}, ses_b: { parentID: 'ses_a' } } }, async (host) => {
      await host.calls('session.prompt', asked('Sort.'));
      await host.calls('session.prompt', asked('Look for pears.', 'ses_b'));
      await host.calls('tool.execute.after', { ...ran('ls', 0), sessionID: 'ses_b' });
    });
    expect(eventsOf(all)).toEqual(['session_start', 'prompt', 'tool_result']);
    expect(all[2]).toMatchObject({
      session_id: 'ses_a',
      sub_agent: 'ses_b',
      tool_name: 'shell',
      tool_told: { exit: 0 },
    });
  });

  test('questions and permissions are put as those of opencode 1', async () => {
    const fields = [{ key: 'q0', title: 'Colour', description: 'Which?', options: [{ value: 'Red', label: 'Red' }] }];
    const all = await told({}, async (host) => {
      await host.calls('session.prompt', asked('Sort.'));
      await host.tells('permission.asked', { sessionID, action: 'shell', resources: ['rm x'] }, dir);
      await host.tells(
        'form.created',
        { form: { id: 'frm_1', sessionID, metadata: { kind: 'question' }, fields } },
        dir,
      );
      await host.tells('form.created', { form: { id: 'frm_2', sessionID: 'global', fields } }, dir);
    });
    expect(all.slice(2)).toMatchObject([
      { hook_event_name: 'question', permission: 'shell', patterns: ['rm x'] },
      {
        hook_event_name: 'question',
        questions: [{ header: 'Colour', question: 'Which?', options: [{ label: 'Red' }] }],
      },
    ]);
  });

  test('sessions of another folder are those of the plugin that is loaded there', async () => {
    const elsewhere = { ses_a: { location: { directory: '/elsewhere' } }, ses_b: { location: { directory: dir } } };
    const end = (id: string) => [`session.execution.succeeded`, { sessionID: id }] as const;
    const all = await told({ sessions: elsewhere }, async (host) => {
      for (const id of ['ses_a', 'ses_b']) {
        await host.tells('session.execution.started', { sessionID: id });
        await host.tells('session.text.ended', { sessionID: id, text: `By ${id}.` });
        await host.tells(...end(id));
      }
      await host.tells('session.text.ended', { sessionID: 'ses_c', text: 'By ses_c.' }, '/elsewhere');
      await host.tells(...end('ses_c'), '/elsewhere');
    });
    expect(all.map(({ session_id, text }) => [session_id, text])).toEqual([['ses_b', 'By ses_b.']]);
  });

  test('the model hears what ctx says with each step of that turn, and no longer', async () => {
    const heard: unknown[] = [];
    await told(
      {},
      async (host) => {
        const step = async () =>
          heard.push((await host.calls('session.context', { sessionID, system: [] as object[] })).system);
        await host.calls('session.prompt', asked('Sort.'));
        await step();
        await step();
        await host.tells('session.execution.succeeded', { sessionID }, dir);
        await step();
      },
      answerOf('Where it stands.'),
    );
    const note = [{ type: 'text', text: 'Where it stands.\n\nWhere it stands.' }];
    expect(heard).toEqual([note, note, []]);
  });

  test('do nothing if opencode 1 runs the plugin next to its own, or if a host has no sessions', async () => {
    const { command, told: all } = probe();
    const { server, setup } = await loadOpencode(command);
    expect(await setup({ options: {}, agent: {} })).toBeUndefined();
    const host = await secondWith(command, { here: dir });
    await server({ directory: dir, client: {} });
    await turn(host, 'Sort.', 'Sorted.');
    await host.unloads();
    expect(all()).toEqual([]);
    Reflect.deleteProperty(globalThis, Symbol.for('ctx.runs-in-opencode-1'));
  });

  test('unknown hooks, torn events and a ctx that cannot be run leave opencode alone', async () => {
    const host = await secondWith('/nonexistent/ctx', {
      here: null,
      lacks: ['session.prompt', 'session.context', 'session.compaction', 'tool.execute.after'],
    });
    expect(host.hooks).toEqual([]);
    await host.tells('form.created', {});
    await host.tells('session.inbox.enqueued', { sessionID, item: { type: 'user' } });
    await host.tells('toString', {});
    await host.unloads();
  });
});
