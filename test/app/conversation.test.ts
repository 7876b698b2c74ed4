// The conversation on real stores: any sequence of commands against the reference model, branches, appended messages, prompts and models.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { cleanupStaleSessions } from '../../src/app/session/cleanup.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { CtxError } from '../../src/core/errors.ts';
import * as ctx from '../../src/index.ts';
import { ModelConversation } from '../core/conversation/model.ts';
import { fc } from '../support/property.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const OUTPUT = 'o'.repeat(6000);

const words = (text: string): object => ({ type: 'text', text });
const call = (toolCallId: string): object => ({
  type: 'dynamic-tool',
  toolName: 'Bash',
  toolCallId,
  state: 'output-available',
  input: { command: 'npm test' },
  output: OUTPUT,
});

const say = ({ repository }: Project, role: 'user' | 'assistant', parts: object[], more: object = {}): string =>
  ctx.appendMessage(repository, { role, parts, ...more }).message_id;

const viewOf = ({ repository }: Project, given?: string): ctx.ViewedMessage[] => [
  ...ctx.readConversation(repository, given),
];
const ids = (project: Project, given?: string): string =>
  viewOf(project, given)
    .map(({ id }) => id)
    .join(' ');
const bare = (messages: ctx.ViewedMessage[]): string =>
  JSON.stringify(messages.map(({ role, parts }) => [role, parts]));

function started(settings: Record<string, unknown> = {}): Project {
  const project = makeProject(settings);
  ctx.startSession(project.repository, 'the task');
  return project;
}

function expectSound({ repository, store }: Project): void {
  expect(fsck(store)).toBe('');
  const { findings, healthy } = checkStore(repository, { full: true });
  expect([findings.filter(({ severity }) => severity !== 'note'), healthy]).toEqual([[], true]);
}

/** The error of ctx with which a promise ends. */
async function failed(call: Promise<unknown>): Promise<CtxError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

const OPERATIONS = [
  'say',
  'answer',
  'call',
  'upsert',
  'model',
  'rewind',
  'unrewind',
  'compact',
  'uncompact',
  'prune',
  'restore',
  'flush',
  'undo',
] as const;

/** Does one operation to a store and to the model. @returns whether it was done */
async function run(
  project: Project,
  model: ModelConversation,
  op: (typeof OPERATIONS)[number],
  choice: number,
): Promise<boolean> {
  const { repository } = project;
  const refused = async (work: () => unknown): Promise<boolean> => {
    try {
      await work();
      return false;
    } catch (error) {
      expect((error as CtxError).code).toBe('no_such_move');
      return true;
    }
  };
  switch (op) {
    case 'say':
    case 'answer':
    case 'call': {
      const role = op === 'say' ? 'user' : 'assistant';
      const parts = [words(`words ${model.said.length}`), ...(op === 'call' ? [call(`c${model.said.length}`)] : [])];
      model.append(say(project, role, parts), role);
      return true;
    }
    case 'upsert': {
      // Only the last message grows, while nothing followed it and its usage is unknown.
      const last = model.said.at(-1);
      const part = words(`more ${choice}`);
      const isOpen = last !== undefined && !model.isSummary(last.id);
      const isRefused =
        !isOpen || (await refused(() => ctx.upsertPart(repository, last.id, `part-${choice % 3}`, part)));
      if (!isRefused) model.grow(last?.id as string, `part-${choice % 3}`, JSON.stringify(part));
      return !isRefused;
    }
    case 'model':
      await ctx.switchModel(repository, `maker/model-${choice}`);
      return true;
    case 'rewind': {
      const id = model.users[choice % Math.max(1, model.users.length)];
      if (id === undefined) return false;
      const { hidden, shown } = ctx.rewind(repository, id);
      expect(model.rewind(id)).toBe(hidden + shown > 0);
      return hidden + shown > 0;
    }
    case 'unrewind':
    case 'uncompact': {
      const isRefused = await refused(() =>
        op === 'unrewind' ? ctx.unrewind(repository) : ctx.uncompactContext(repository),
      );
      expect(op === 'unrewind' ? model.unrewind() : model.uncompact()).toBe(!isRefused);
      return !isRefused;
    }
    case 'compact': {
      let made: ctx.CompactContextResult | null = null;
      const isRefused = await refused(async () => {
        made = await ctx.compactContext(repository);
      });
      const { message_id = '' } = (made ?? {}) as { message_id?: string };
      expect(model.compact(message_id, 2)).toBe(!isRefused);
      return !isRefused;
    }
    case 'prune': {
      const { pruned } = await ctx.pruneOutputs(repository);
      for (const one of pruned) model.prune(one.call);
      return pruned.length > 0;
    }
    case 'restore': {
      const isRefused = await refused(() => ctx.restoreOutputs(repository));
      expect(model.pruned.size === 0).toBe(isRefused);
      model.restore();
      return !isRefused;
    }
    default:
      ctx.flushStep(repository);
      return false;
  }
}

test('any sequence of commands on a store gives the view of the model, and no message is ever gone', async () => {
  const done = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom('say' as const, 'prune' as const, 'restore' as const, ...OPERATIONS), fc.nat(20)),
        {
          minLength: 8,
          maxLength: 22,
        },
      ),
      async (operations) => {
        const project = started();
        const model = new ModelConversation();
        let restore: (() => void) | null = null;
        const beginning = ['say', 'call', 'say', 'call', 'say'] as const;
        for (const [op, choice] of [...beginning.map((one) => [one, 0] as const), ...operations]) {
          const before = model.save();
          if (op === 'undo') {
            if (!restore) continue;
            undoOperations(project.repository);
            const again = model.save();
            restore();
            restore = again;
            done.add(op);
          } else {
            const isDone = await run(project, model, op, choice);
            if (isDone) done.add(op);
            if (['say', 'answer', 'call', 'upsert'].includes(op)) restore = null;
            else if (isDone) restore = before;
          }
          const seen = viewOf(project);
          expect(seen.map(({ id }) => id)).toEqual(model.view);
          for (const { id, parts } of seen) {
            const grown = [...model.grown(id).values()];
            expect(parts.slice(parts.length - grown.length).map((part) => JSON.stringify(part))).toEqual(grown);
          }
          const outputs = seen.flatMap(({ parts }) => parts.filter((part) => part.type === 'dynamic-tool'));
          for (const part of outputs)
            expect(part['output'] === OUTPUT).toBe(!model.pruned.has(String(part.toolCallId)));
        }
        const all = [...ctx.readConversation(project.repository, 'STAGE', { view: 'all' })];
        expect(all.map(({ id }) => id)).toEqual(model.said.map(({ id }) => id));
      },
    ),
    { numRuns: 25 },
  );
  expect([...done].sort()).toEqual([...OPERATIONS].filter((op) => op !== 'flush').sort());
}, 120_000);

test('a branch has what the model sees up to a message, under new ids, and the parent stays as it is', async () => {
  const project = started();
  const { repository } = project;
  say(project, 'user', [words('one')]);
  say(project, 'assistant', [words('first'), call('c1')], {
    metadata: { usage: { input: 10, output: 5 }, cost_usd: 0.5 },
  });
  say(project, 'user', [words('two')]);
  const fork = say(project, 'assistant', [words('second')], { metadata: { usage: { input: 20, output: 7 } } });
  say(project, 'user', [words('three')]);
  const parent = viewOf(project);
  const parentId = ctx.activeSession(repository)?.session_id as string;
  const made = ctx.branchSession(repository, fork, { metadata: { colour: 'red' } });
  expect(made).toMatchObject({ parent_session_id: parentId, parent_message_id: fork, messages: 4, current: true });
  const copies = viewOf(project);
  expect(bare(copies)).toBe(bare(parent.slice(0, 4)));
  expect(copies.map(({ metadata }) => metadata?.['copied_from'])).toEqual(parent.slice(0, 4).map(({ id }) => id));
  expect(copies[1]?.metadata?.parent_id).toBe(copies[0]?.id);
  const shown = ctx.showRevision(repository, 'STAGE');
  // The sums are those of the copies.
  expect(shown).toMatchObject({
    parent_session_id: parentId,
    task_description: 'the task',
    usage: { input: 30, output: 12 },
  });
  say(project, 'user', [words('another three')]);
  expect(bare(viewOf(project, parentId))).toBe(bare(parent));
  undoOperations(repository);
  expect(ctx.activeSession(repository)?.session_id).toBe(parentId);
  expectSound(project);
});

test('a branch of a compacted and pruned conversation sees the same summary and the same notices', async () => {
  const project = started();
  const { repository } = project;
  for (const name of ['a', 'b', 'c', 'd']) {
    say(project, 'user', [words(name)]);
    say(project, 'assistant', [call(`c-${name}`)]);
  }
  await ctx.compactContext(repository);
  await ctx.pruneOutputs(repository);
  const parent = viewOf(project);
  ctx.branchSession(repository, parent.at(-1)?.id as string);
  expect(bare(viewOf(project))).toBe(bare(parent));
  expectSound(project);
});

test('a branch at a message out of view has what was in view when it came', () => {
  const project = started();
  const first = say(project, 'user', [words('one')]);
  say(project, 'assistant', [words('first')]);
  const second = say(project, 'user', [words('two')]);
  ctx.rewind(project.repository, first);
  ctx.branchSession(project.repository, second);
  expect(viewOf(project).map(({ parts }) => (parts[0] as { text: string }).text)).toEqual(['one', 'first', 'two']);
});

test('a turn that is still running is not copied; once its call has a result it is', () => {
  const project = started();
  say(project, 'user', [words('one')]);
  const part = { type: 'dynamic-tool', toolName: 'Bash', toolCallId: 'c', state: 'input-available', input: {} };
  const id = say(project, 'assistant', [part]);
  expect(errorOf(() => ctx.branchSession(project.repository, id)).code).toBe('no_such_move');
  ctx.upsertPart(project.repository, id, 'c', { ...part, state: 'output-available', output: 'ok' });
  expect(ctx.branchSession(project.repository, id).messages).toBe(2);
});

test('an ephemeral branch stays out of lists, and is swept after a day unless it is kept', () => {
  const project = started();
  const { repository, clock } = project;
  const id = say(project, 'user', [words('one')]);
  const swept = ctx.branchSession(repository, id, { ephemeral: true, switch: false }).session_id;
  const kept = ctx.branchSession(repository, id, { ephemeral: true }).session_id;
  expect(ctx.keepBranch(repository)).toEqual({ session_id: kept, kept: true });
  const listed = (): string[] => ctx.listAllSessions(repository).sessions.map(({ session_id }) => session_id);
  expect(listed()).toContain(kept);
  expect(listed()).not.toContain(swept);
  expect(ctx.listAllSessions(repository, { ephemeral: true }).sessions.map((one) => one.session_id)).toContain(swept);
  clock.now += 86_400;
  expect(cleanupStaleSessions(repository).sessions).toEqual([]);
  clock.now += 1;
  expect(cleanupStaleSessions(repository).sessions).toMatchObject([{ session_id: swept, oid: null, ephemeral: true }]);
  // It is archived, not gone.
  expect(ids(project, swept).length).toBeGreaterThan(0);
  undoOperations(repository);
  expect(ctx.listAllSessions(repository, { ephemeral: true }).sessions.map((one) => one.session_id)).toContain(swept);
  expectSound(project);
});

test('a message is appended once, and its parts grow while nothing follows it', () => {
  const project = started();
  const { repository } = project;
  say(project, 'user', [words('one')], { id: 'u1' });
  expect(errorOf(() => say(project, 'user', [words('again')], { id: 'u1' })).code).toBe('invalid_input');
  expect(errorOf(() => ctx.appendMessage(repository, { role: 'user', parts: 'words' })).code).toBe('invalid_input');
  expect(errorOf(() => ctx.appendMessage(repository, 'words')).code).toBe('invalid_input');
  say(project, 'assistant', [], { id: 'a1' });
  const input = { toolCallId: 'c1', input: { path: 'x' } };
  ctx.upsertPart(repository, 'a1', 't1', { type: 'text', text: 'He' });
  ctx.upsertPart(repository, 'a1', 't1', { type: 'text', text: 'Hello' });
  ctx.upsertPart(repository, 'a1', 'c1', { type: 'tool-read', ...input, state: 'input-streaming' });
  ctx.upsertPart(repository, 'a1', 'c1', { type: 'tool-read', ...input, state: 'output-error', errorText: 'gone' });
  expect(
    errorOf(() => ctx.upsertPart(repository, 'a1', 'c1', { type: 'tool-read', ...input, state: 'input-available' }))
      .code,
  ).toBe('invalid_input');
  const usage = { inputTokens: 100, outputTokens: 30, reasoningTokens: 10, cachedInputTokens: 60 };
  ctx.upsertPart(repository, 'a1', 't1', { type: 'text', text: 'Hello.' }, { usage });
  const [, answer] = viewOf(project);
  expect(answer?.parts).toEqual([
    { type: 'text', text: 'Hello.' },
    {
      type: 'dynamic-tool',
      toolName: 'read',
      toolCallId: 'c1',
      input: { path: 'x' },
      state: 'output-error',
      errorText: 'gone',
    },
  ]);
  // The input that the AI SDK counts contains what came from the cache, and its output what was thought.
  expect(answer?.metadata?.usage).toEqual({ input: 40, output: 20, reasoning: 10, cache_read: 60 });
  expect(errorOf(() => ctx.upsertPart(repository, 'a1', 't2', { type: 'text', text: 'more' })).code).toBe(
    'no_such_move',
  );
  ctx.flushStep(repository);
  expect(ctx.showRevision(repository, 'STAGE').usage).toEqual({ input: 40, output: 20, reasoning: 10, cache_read: 60 });
});

test('the window counts what the provider reported, and what changed since is estimated', async () => {
  const project = started({ models: { m: { context: 1000, output: 100 } } });
  const { repository } = project;
  const first = say(project, 'user', [words('one')]);
  const usage = { input: 100, output: 50, reasoning: 10, cache_read: 300, cache_write: 40 };
  say(project, 'assistant', [words('first')], { metadata: { model: 'm', usage } });
  expect(await ctx.contextWindow(repository)).toMatchObject({
    model: 'm',
    limit: 1000,
    used: 500,
    reserve: 100,
    usable: 900,
    percent: 55.6,
    estimated: false,
    session: { ...usage, total: 500, cost_usd: null },
  });
  say(project, 'user', [words('two words more')]);
  const more = await ctx.contextWindow(repository);
  expect(more.used).toBeGreaterThan(500);
  expect(more.used).toBeLessThan(520);
  expect(more).toMatchObject({ estimated: true, reported: 500 });
  ctx.rewind(repository, first);
  expect(await ctx.contextWindow(repository)).toMatchObject({
    reported: null,
    estimated: true,
    session: { total: 500 },
  });
});

test('a smaller model is refused if the conversation does not fit, and is used once a compaction makes it fit', async () => {
  const models = {
    big: { context: 100_000 },
    small: { context: 3000, output: 200 },
    tiny: { context: 250, output: 100 },
  };
  const project = started({ models });
  const { repository } = project;
  for (let turn = 0; turn < 6; turn += 1) {
    say(project, 'user', [words(`request ${turn} ${'with many words '.repeat(190)}`)]);
    say(project, 'assistant', [words('done')]);
  }
  const before = ids(project);
  expect(await failed(ctx.switchModel(repository, 'p/tiny'))).toMatchObject({
    code: 'no_such_move',
    message:
      'Switching to a model with a smaller context window would lose the conversation; consider branching with the new model.',
  });
  expect(ids(project)).toBe(before);
  expect(await ctx.switchModel(repository, 'p/big', { variant: 'high' })).toMatchObject({
    provider_id: 'p',
    model_id: 'big',
    variant: 'high',
    compacted: null,
  });
  const small = await ctx.switchModel(repository, 'p/small');
  expect(small).toMatchObject({ previous: 'p/big', compacted: { part: { data: { auto: true } } } });
  expect((await ctx.contextWindow(repository)).used).toBeLessThan(2800);
  say(project, 'user', [words('and now')]);
  expect(viewOf(project).at(-1)?.metadata).toMatchObject({ provider_id: 'p', model_id: 'small' });
  expect(ctx.showRevision(repository, 'STAGE').model).toBe('p/small');
  undoOperations(repository);
  expect(ctx.showRevision(repository, 'STAGE').model).toBe('p/big');
  // The compaction is undone with the switch that needed it.
  expect(ids(project).startsWith(before)).toBe(true);
  expectSound(project);
});

test('a model whose window is unknown is used without a compaction', async () => {
  const project = started();
  say(project, 'user', [words('one')]);
  expect(await ctx.switchModel(project.repository, 'p/unknown')).toMatchObject({ limit: null, compacted: null });
  expect(await failed(ctx.switchModel(project.repository, 'unknown'))).toMatchObject({ code: 'invalid_input' });
});

test('equal input and surroundings give an equal prompt, with its sections in their order', () => {
  const project = started();
  const { repository, folder } = project;
  writeFileSync(join(folder, 'AGENTS.md'), 'Inner rules.\n');
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'sub', 'CLAUDE.md'), 'Innermost rules.\n');
  mkdirSync(join(folder, 'sub', '.claude', 'skills', 'x'), { recursive: true });
  writeFileSync(
    join(folder, 'sub', '.claude', 'skills', 'x', 'SKILL.md'),
    '---\nname: x\ndescription: "Does x."\n---\nBody\n',
  );
  const environment = { platform: 'linux', root: '/w', git: '## main', date: '2026-01-22', model: 'm', variant: 'v' };
  const tools = [{ name: 'b', inputSchema: { type: 'object', properties: {} } }, { name: 'a' }];
  const options = { agentPrompt: 'You are an agent.', directory: join(folder, 'sub'), environment, tools };
  const built = ctx.buildPrompt(repository, options);
  expect(built.sections.map(({ name }) => name)).toEqual(['agent', 'project', 'skills', 'environment', 'tools']);
  const at = (text: string): number => built.text.indexOf(text);
  expect([
    at('You are'),
    at('Inner rules'),
    at('Innermost'),
    at('- x: Does x.'),
    at('Platform: linux'),
    at('"name": "a"'),
  ]).toEqual(
    [
      ...[
        at('You are'),
        at('Inner rules'),
        at('Innermost'),
        at('- x: Does x.'),
        at('Platform: linux'),
        at('"name": "a"'),
      ],
    ].sort((a, b) => a - b),
  );
  expect(at('You are')).toBe(0);
  const turned = [{ name: 'a' }, { inputSchema: { properties: {}, type: 'object' }, name: 'b' }];
  expect(ctx.buildPrompt(repository, { ...options, tools: turned }).digest).toBe(built.digest);
  expect(
    ctx.buildPrompt(repository, { ...options, environment: { ...environment, date: '2026-01-23' } }).digest,
  ).not.toBe(built.digest);
  ctx.buildPrompt(repository, { ...options, record: true });
  say(project, 'assistant', [words('hello')]);
  expect(viewOf(project)[0]?.metadata?.['system_prompt_digest']).toBe(built.digest);
});

test('a prompt names the model of the session with its variant, if no other is given', async () => {
  const { repository } = started();
  const linesOf = (environment: object): string[] =>
    ctx.buildPrompt(repository, { environment: { git: null, ...environment } }).text.match(/^(?:Model|Variant).*$/gm) ??
    [];
  expect(linesOf({})).toEqual([]);
  await ctx.switchModel(repository, 'p/big', { variant: 'high' });
  expect(linesOf({})).toEqual(linesOf({ model: 'p/big', variant: 'high' }));
  expect(linesOf({}).join()).toContain('p/big');
  expect(linesOf({ model: 'p/other' }).join()).not.toMatch(/big|high/);
  expect(await ctx.switchModel(repository, 'p/big', { variant: '' })).not.toHaveProperty('variant');
});

test('the tokens that a prune and a compaction say they leave are those that the window has afterwards', async () => {
  const project = started();
  const { repository } = project;
  for (const turn of [1, 2, 3, 4]) {
    say(project, 'user', [words(`question ${turn}`)]);
    // Less than an estimate of the parts: what stays is not counted down to nothing.
    say(project, 'assistant', [call(`call-${turn}`), words(`answer ${turn}`)], {
      metadata: { usage: { input: 300 * turn, output: 10 } },
    });
  }
  // The size of an output is another once it is stored apart.
  ctx.flushStep(repository);
  const whole = await ctx.contextWindow(repository);
  const pruned = await ctx.pruneOutputs(repository, { tokens: 1 });
  expect(pruned.tokens_before).toBe(whole.used);
  const near = (used: number): boolean => Math.abs(used - pruned.tokens_after) <= 16;
  expect((await ctx.contextWindow(repository)).used).toSatisfy(near);
  ctx.restoreOutputs(repository);
  const { tokens_after } = await ctx.compactContext(repository);
  expect((await ctx.contextWindow(repository)).used).toBe(tokens_after);
});

test('if the provider reported fewer tokens than the estimate, a prune and a restore leave a share of these', async () => {
  const project = started();
  const { repository } = project;
  for (const turn of [1, 2, 3, 4]) {
    say(project, 'user', [words(`question ${turn}`)]);
    say(project, 'assistant', [call(`call-${turn}`), words(`answer ${turn}`)], {
      metadata: { usage: { input: 30, output: 10 } },
    });
  }
  const { tokens_before, tokens_after } = await ctx.pruneOutputs(repository);
  expect(tokens_before).toBe(40);
  expect(tokens_after).toBeGreaterThan(0);
  expect(tokens_after).toBeLessThan(40);
  expect(await ctx.contextWindow(repository)).toMatchObject({ used: tokens_after, reported: 40, estimated: true });
  ctx.restoreOutputs(repository);
  expect(await ctx.contextWindow(repository)).toMatchObject({ used: 40, estimated: false });
});

test('a restore brings back what ctx has pruned, and leaves what the agent has pruned itself', async () => {
  const project = makeProject();
  const { repository } = project;
  ctx.ingestTranscript(
    repository,
    fileURLToPath(new URL('../../fixtures/claude-code/compaction.jsonl', import.meta.url)),
  );
  const outputs = (): number =>
    JSON.stringify([...ctx.readConversation(repository)]).split('<output pruned').length - 1;
  ctx.uncompactContext(repository);
  const byAgent = outputs();
  expect(byAgent).toBeGreaterThan(0);
  expect(errorOf(() => ctx.restoreOutputs(repository))).toMatchObject({
    code: 'no_such_move',
    message: 'Only the agent itself has pruned outputs.',
  });
  say(project, 'assistant', [call('call-1')]);
  for (const turn of [1, 2]) say(project, 'user', [words(`question ${turn}`)]);
  expect((await ctx.pruneOutputs(repository)).pruned).toHaveLength(1);
  expect(outputs()).toBeGreaterThan(byAgent);
  ctx.restoreOutputs(repository);
  expect(outputs()).toBe(byAgent);
});
