/** Counts the source files of which a function runs in one command, by the coverage of V8: `npx tsx bench/reach.ts [command]` lists those of one. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { ENVIRONMENT, ROOT, runCtx, runCtxWith } from './program.ts';
import { makeProject, makeWorkshop } from './project.ts';

/** A script in the probe's file: the functions, each with how often it ran. */
interface Coverage {
  url: string;
  functions: { ranges: [{ startOffset: number; count: number }] }[];
}

const workshop = makeWorkshop();
// A copy: V8 takes no code cache while it counts, and the program would discard it.
const program = join(workshop, 'dist', 'ctx.cjs');
cpSync(join(ROOT, 'dist'), join(workshop, 'dist'), { recursive: true });

/** Returns a function that finds the source file of a place in a built file; null if that has no source map. */
function sourcesOf(file: string): ((offset: number) => string | undefined) | null {
  if (!existsSync(`${file}.map`)) return null;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  const starts = [0];
  for (const line of readFileSync(file, 'utf8').split('\n')) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (starts[line] ?? 0)) as { originalSource?: string };
    return entry.originalSource?.replace(/^(?:\.\.\/)+/, '');
  };
}

/** Runs a command; returns the source files of which a function has run. */
function reached(project: string, input: string, words: readonly string[]): string[] {
  const out = join(workshop, 'reach.json');
  const probe = join(import.meta.dirname, 'reach-probe.cjs');
  const env = { ...ENVIRONMENT, CTX_REACH: out };
  const run = spawnSync(process.execPath, ['-r', probe, program, ...words], { cwd: project, input, env });
  if (run.status !== 0) throw new Error(`${words.join(' ')} ended with ${run.status}: ${run.stderr.toString('utf8')}`);
  const files = new Set<string>();
  for (const { url, functions } of JSON.parse(readFileSync(out, 'utf8')) as Coverage[]) {
    const sourceOf = url.includes('/dist/') ? sourcesOf(url.replace('file://', '')) : null;
    for (const { ranges } of sourceOf ? functions : []) {
      const [{ startOffset, count }] = ranges;
      // The module itself runs in any case.
      const source = count > 0 && startOffset > 0 ? sourceOf?.(startOffset) : undefined;
      if (source?.startsWith('src/')) files.add(source);
    }
  }
  return [...files].sort();
}

const project = makeProject(workshop, 'reach', { fsync: false });
const transcript = join(project, 'transcript.jsonl');
const session_id = '11111111-1111-4111-8111-111111111111';
const payload = (hook_event_name: string, fields: object): string =>
  JSON.stringify({ session_id, transcript_path: transcript, cwd: project, hook_event_name, ...fields });
const prompt = payload('UserPromptSubmit', { prompt: 'Also add logging to the client' });
const stop = payload('Stop', { last_assistant_message: 'Logging is in.' });
const tool = (id: string): string =>
  payload('PostToolUse', {
    ...{ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'npm test' } },
    tool_response: { stdout: 'ok '.repeat(600), stderr: '', interrupted: false, isImage: false },
  });

let lines = 0;
/** Adds a line to a transcript. */
function write(file: string, type: 'user' | 'assistant', text: string): void {
  lines += 1;
  const of = { sessionId: session_id, cwd: project, timestamp: new Date().toISOString() };
  const content = type === 'user' ? text : [{ type: 'text', text }];
  const message = { role: type, content, ...(type === 'assistant' && { id: `m${lines}` }) };
  const parentUuid = lines === 1 ? null : `u${lines - 1}`;
  appendFileSync(file, `${JSON.stringify({ type, uuid: `u${lines}`, parentUuid, ...of, message })}\n`);
}

const hook = ['hook', 'claude-code'];
runCtxWith(project, prompt, ...hook);
runCtxWith(project, tool('toolu_1'), ...hook);
write(transcript, 'assistant', 'Some words. '.repeat(150));
runCtxWith(project, stop, ...hook);
const found: Record<string, string[]> = { prompt: reached(project, prompt, hook) };
runCtxWith(project, tool('toolu_2'), ...hook);
found['tool'] = reached(project, tool('toolu_3'), hook);
write(transcript, 'assistant', 'Some words. '.repeat(150));
found['stop'] = reached(project, stop, hook);
const other = join(workshop, 'other');
mkdirSync(other);
runCtx(other, 'init');
writeFileSync(join(other, 'two.jsonl'), '');
for (const type of ['user', 'assistant'] as const) write(join(other, 'two.jsonl'), type, 'Add a cache to the client');
found['ingest'] = reached(other, '', ['ingest', 'two.jsonl', '--here']);
runCtx(project, 'observe', 'note', 'Full jitter');
found['flush'] = reached(project, '', ['stage', 'flush']);

const wanted = process.argv[2];
if (wanted !== undefined) process.stdout.write(`${(found[wanted] ?? []).join('\n')}\n`);
else for (const [name, files] of Object.entries(found)) process.stdout.write(`${name}: ${files.length} files\n`);
