// The library as an author of an agent has it: what it exports, that it works from end to end, and that its types compile.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeClock, fsck, git, LIBRARY, ROOT, temporaryFolder } from './support/store.ts';

const ctx = createRequire(import.meta.url)(LIBRARY) as typeof import('../src/index.ts');

/** Functions of the design, and those beside them. */
const FUNCTIONS = [
  ...['activeSession', 'cleanupStaleSessions', 'compactSession', 'diffRevisions', 'findStore', 'flushStep'],
  ...[
    'generateProgressSummary',
    'ingestMany',
    'ingestTranscript',
    'initRepository',
    'listSessions',
    'observeBatch',
    'observeCommand',
  ],
  ...[
    'observeFileRead',
    'observeFileWrite',
    'observeNote',
    'observePlan',
    'observeRelations',
    'openRepository',
    'readLog',
  ],
  ...[
    'recoverSession',
    'resumableSessions',
    'resumeSession',
    'stopSession',
    'findResumable',
    'mirrorSessions',
    'sessionStatus',
    'setState',
    'showRevision',
    'startSession',
    'switchSession',
    'allowedVerbs',
    'classifyMessage',
    'handleChoice',
    'handleUserMessage',
    'staleness',
  ],
];

/** Ids that count, in the shape of real ones. */
function countedIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `0199a000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  };
}

/** Uses everything once, with a clock and ids of its own; gives what a user sees, and every ref of the store. */
async function story(folder: string) {
  const clock = fakeClock();
  const options = { directory: folder, clock, ids: countedIds() };
  const { result } = ctx.initRepository({ ...options, tracked: true });
  writeFileSync(join(result.path, 'settings.json'), '{"fsync":false}');
  const repository = ctx.openRepository(options);

  const started = ctx.startSession(repository, 'Add retries', { agent: 'my-agent' });
  writeFileSync(join(folder, 'client.ts'), 'export const retries = 3;\n');
  clock.now += 60;
  ctx.observeFileRead(repository, 'client.ts', folder);
  ctx.observeFileWrite(repository, 'client.ts', folder);
  ctx.observeCommand(repository, { command: 'npm test', exit_code: 1, output: 'x'.repeat(5_000), duration_ms: 12 });
  ctx.observePlan(repository, '1. backoff 2. tests');
  ctx.observeNote(repository, 'Decision: full jitter');
  ctx.observeRelations(repository, [{ from: 'file:client.ts', label: 'DependsOn', to: 'item:fetch' }]);
  ctx.observeBatch(repository, [Buffer.from('{"kind":"note","content":"from a batch"}\n')], folder);
  ctx.flushStep(repository);
  clock.now += 60;
  ctx.setState(repository, 'ask', { text: 'How many?' });
  const recovered = ctx.recoverSession(repository);
  ctx.setState(repository, 'respond', { text: 'Three' });
  const active = ctx.activeSession(repository);
  const progress = ctx.generateProgressSummary(repository);
  ctx.setState(repository, 'done', { text: 'Retries added' });
  const compacted = ctx.compactSession(repository, { message: 'Add retries with jitter' });
  const second = ctx.startSession(repository, 'Something old');
  ctx.observeNote(repository, 'forgotten');
  clock.now += 30 * 86_400;
  const cleaned = ctx.cleanupStaleSessions(repository);
  const log = [...ctx.readLog(repository)];
  const { files } = await ctx.diffRevisions(repository, 'HEAD~2', 'HEAD');
  const shown = ctx.showRevision(repository, 'HEAD~1');
  return {
    store: result.path,
    started,
    recovered,
    active,
    progress,
    compacted,
    second,
    cleaned,
    log,
    files,
    kinds: [...shown.steps].map((step) => step.observations.map((record) => record.kind)),
    status: ctx.sessionStatus(repository),
    refs: git(result.path, ['for-each-ref', '--format=%(objectname) %(refname)']),
  };
}

describe('the built library', () => {
  test('exports what an author of an agent needs', () => {
    for (const name of FUNCTIONS) expect(ctx, name).toHaveProperty(name, expect.any(Function));
    expect(ctx.CtxError.prototype).toBeInstanceOf(Error);
    expect(ctx.DEFAULT_SETTINGS.ask_threshold).toBe(86_400);
    expect(ctx.MOVES.length).toBeGreaterThan(0);
  });

  test('works from end to end with a clock and ids from outside', async () => {
    const told = await story(temporaryFolder());
    expect(told.started.session_id).toMatch(/^0199a000-0000-7000-8000-0{6,}/);
    expect(told.recovered.message).toBe('Welcome back! I was asking:\n\nHow many?');
    expect(told.active).toMatchObject({
      session_state: { kind: 'Running' },
      step: 4,
      last_activity: 1_769_040_120,
      files_touched: 1,
      agent: 'my-agent',
    });
    expect(told.progress?.split('\n')).toEqual([
      '- Plan: 1. backoff 2. tests',
      '- Decision: full jitter',
      '- from a batch',
      '- Question: How many?',
      '- Answer: Three',
      '- Changed 1 file: client.ts',
      '- Failed: `npm test` (exit 1)',
    ]);
    expect(told.kinds).toEqual([
      ['task'],
      ['read', 'write', 'command', 'plan', 'note', 'relation', 'note'],
      ['note', 'transition'],
      ['note', 'relation', 'transition'],
      ['transition'],
    ]);
    expect(told.log.map((entry) => [entry.message, entry.commit_type.kind, entry.committed_at])).toEqual([
      ['Auto-saved stale session (idle 30 days): Something old', 'StaleAutoCompact', 1_771_632_120],
      ['Add retries with jitter', 'Normal', 1_769_040_120],
    ]);
    expect(told.cleaned.compacted_tasks).toEqual(['Something old']);
    expect(told.files).toMatchObject([{ path: 'client.ts', change: 'added', added: 1 }]);
    expect(told.status).toMatchObject({ active: false });
    expect(fsck(told.store)).toBe('');
  });

  test('writes the same objects for the same clock and ids', async () => {
    const [one, other] = [await story(temporaryFolder()), await story(temporaryFolder())];
    expect(one.refs).toBe(other.refs);
    expect(one.log).toEqual(other.log);
  });

  test('throws errors with a code, a message and a hint, that are of its own class', () => {
    try {
      ctx.openRepository({ directory: temporaryFolder() });
      expect.fail('it must throw');
    } catch (error) {
      expect(error).toBeInstanceOf(ctx.CtxError);
      expect(error).toMatchObject({ code: 'not_a_repository', hint: expect.stringContaining('ctx init') });
    }
  });

  test('prints nothing and leaves the process alone', () => {
    const folder = temporaryFolder();
    const script = `
      const ctx = require(${JSON.stringify(LIBRARY)});
      const before = [process.exitCode, process.listeners('exit').length, process.listeners('SIGINT').length];
      const { repository } = ctx.initRepository({ directory: ${JSON.stringify(folder)}, tracked: true });
      ctx.startSession(repository, 't');
      ctx.recoverSession(repository);
      try { ctx.startSession(repository, 't'); } catch {}
      const after = [process.exitCode, process.listeners('exit').length, process.listeners('SIGINT').length];
      if (JSON.stringify(before) !== JSON.stringify(after)) process.exit(9);
    `;
    const run = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, '', '']);
  });

  test('is what package.json says it is', () => {
    const { exports, main, types } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(join(ROOT, main)).toBe(LIBRARY);
    expect(exports['.']).toEqual({ types, default: main });
  });
});

/** Code of an author of an agent: right where it compiles, and wrong where it must not. */
const CONSUMER = `
import * as ctx from 'ctx';

const repository: ctx.Repository = ctx.openRepository({ directory: '.', clock: () => 7, lockWait: 100 });
const { session_id }: ctx.StartResult = ctx.startSession(repository, 'task', { agent: 'mine' });
const observed: ctx.Observed = ctx.observeCommand(repository, { command: 'x', exit_code: null, output: [Buffer.from('x')] });
const moved: ctx.MoveResult = ctx.setState(repository, 'ask', { text: 'x' });
const status: ctx.Status = ctx.sessionStatus(repository);
if (status.active) console.log(status.step, status.session_state.kind);
for (const entry of ctx.readLog(repository, { limit: 3, grep: /x/ })) console.log(entry.commit_type.kind);
for (const step of ctx.showRevision(repository, session_id).steps) for (const record of step.observations) console.log(record.kind);
const type: ctx.CommitType = { kind: 'StaleAutoCompact', idle_duration_secs: 1 };
ctx.compactSession(repository, { type });
export async function changed(): Promise<ctx.FileDiff[]> {
  return (await ctx.diffRevisions(repository, 'HEAD')).files;
}
try {
  ctx.cleanupStaleSessions(repository, { maxIdle: 1, dryRun: true });
} catch (error) {
  if (error instanceof ctx.CtxError) console.log(error.code satisfies ctx.ErrorCode, error.hint, observed, moved);
}
// @ts-expect-error there is no such move
ctx.setState(repository, 'fly');
// @ts-expect-error a type of commit has its fields
ctx.compactSession(repository, { type: { kind: 'StaleAutoCompact' } });
// @ts-expect-error the state is known only of an active session
console.log(status.step);
// @ts-expect-error a command has an exit code, or null
ctx.observeCommand(repository, { command: 'x' });
`;

describe('its types', () => {
  const tsc = (...words: string[]): string => {
    const run = spawnSync(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...words], {
      encoding: 'utf8',
      cwd: ROOT,
    });
    return run.stdout + run.stderr;
  };

  test.each(['nodenext', 'bundler'])(
    'compile in a project that has nothing but ctx and @types/node: %s',
    (resolution) => {
      const folder = temporaryFolder();
      const installed = join(folder, 'node_modules', 'ctx');
      mkdirSync(join(installed, 'dist'), { recursive: true });
      mkdirSync(join(folder, 'node_modules', '@types'));
      symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
      writeFileSync(join(installed, 'package.json'), readFileSync(join(ROOT, 'package.json')));
      writeFileSync(join(installed, 'dist', 'index.cjs'), '');
      expect(tsc('-p', 'tsconfig.build.json', '--outDir', join(installed, 'dist', 'types'))).toBe('');
      const types = spawnSync(process.execPath, [join(ROOT, '.ci', 'own-types.mjs'), join(installed, 'dist', 'types')]);
      expect(types.stderr.toString()).toBe('');
      // The library is CommonJS: its declarations are read as such.
      writeFileSync(join(installed, 'dist', 'types', 'package.json'), '{ "type": "commonjs" }');

      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, 'agent.ts'), CONSUMER);
      const options = {
        strict: true,
        target: 'es2022',
        module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
        moduleResolution: resolution,
        types: ['node'],
        noEmit: true,
        // Everything is looked at, the declarations of ctx too.
        skipLibCheck: false,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['agent.ts'] }));
      const told = tsc('-p', folder);
      // Output about @types/node itself is not ours.
      expect(told.split('\n').filter((line) => line !== '' && !line.includes('@types'))).toEqual([]);
    },
  );
});
