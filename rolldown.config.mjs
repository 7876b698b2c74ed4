// Four bundles: the tiny entry of the command, the command itself with chunks loaded on demand, the library, and the thread of `ctx ingest`.
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { bundleFolder } from './.ci/bundle-folder.mjs';
import { lazyPatterns } from './.ci/lazy-patterns.mjs';

/** What a module imports at once, directly or not. */
function eagerModules(entry, info) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of info(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** Chunks, the first that takes a module has it: few files to load on the hot path, and in them little that is not used. */
const CHUNKS = {
  core: ['cli/main.ts', 'store/secret-key.ts'],
  observe: ['app/observe.ts', 'app/hook.ts'],
  'claude-code-hook': ['agents/claude-code/hook.ts'],
  'codex-hook': ['agents/codex/hook.ts'],
  // Whatever makes a step: a small part more of text costs less than one more file.
  steps: [
    'app/flush-waiting.ts',
    'app/move.ts',
    'app/hook-part.ts',
    'app/hook-moves.ts',
    'app/deeds.ts',
    'agents/shared/calls.ts',
    'agents/shared/lines.ts',
    'agents/shared/conversation.ts',
    'agents/shared/turn.ts',
  ],
  messages: ['app/hook-prompt.ts', 'app/message.ts'],
};

/** Puts each module into the first chunk whose modules import it at once. */
function groups() {
  let chunks;
  const name = (id, context) => {
    const info = (module) => context.getModuleInfo(module);
    const eager = (path) => [...eagerModules(join(import.meta.dirname, 'src', path), info)];
    chunks ??= Object.entries(CHUNKS).map(([chunk, paths]) => [chunk, new Set(paths.flatMap(eager))]);
    return chunks.find(([, modules]) => modules.has(id))?.[0] ?? null;
  };
  return [{ debugName: 'chunks', name, includeDependenciesRecursively: false }];
}

/** One CommonJS bundle: `dist/<name>.cjs`, and what only `import()` reaches in `dist/<chunks>/`. */
function bundle(name, input, chunks, extra = {}, isParts = false) {
  return {
    input: { [name]: input },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    plugins: [lazyPatterns(join(import.meta.dirname, 'src')), bundleFolder('dist', chunks, isParts)],
    // What it offers to require() looks its own files up in a way that no bundler follows.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    output: {
      dir: 'dist',
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].cjs',
      chunkFileNames: `${chunks}/[name].cjs`,
      strict: true,
      // Names stay, for the stack traces of bugs.
      minify: { mangle: { keepNames: true }, compress: { keepNames: { function: true, class: true } } },
      ...extra,
    },
  };
}

export default defineConfig([
  bundle('ctx', 'bin/ctx.ts', 'entry', {
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
  }),
  bundle('main', 'src/cli/main.ts', 'chunks', { codeSplitting: { groups: groups() } }, true),
  bundle('index', 'src/index.ts', 'library'),
  bundle('ingest-thread', 'src/app/ingest-thread.ts', 'thread'),
]);
