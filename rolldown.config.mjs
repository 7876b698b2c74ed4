// Five bundles: the tiny entry of the command; the command itself and the one that agents' hooks run, with chunks loaded on demand;
// the library; and the thread of `ctx ingest`.
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { bundleFolder } from './.ci/bundle-folder.mjs';
import { lazyPatterns } from './.ci/lazy-patterns.mjs';
import { inParts } from './.ci/program-parts.mjs';

/** Path of a module of ours. */
const OURS = /[\\/]src[\\/](?!.*node_modules)/;

/** One CommonJS bundle: `<dist>/<name>.cjs`, and what only `import()` reaches in `<dist>/<chunks>/`. */
function bundle(dist, name, input, chunks, extra = {}, isParts = false) {
  return {
    input: { [name]: input },
    platform: 'node',
    // How long the plugins below take is no news to those who build.
    checks: { bundlerTimings: false },
    preserveEntrySignatures: 'allow-extension',
    // A module of ours does nothing but declare: one of which a program uses nothing, another one imports in vain.
    treeshake: { moduleSideEffects: [{ test: OURS, sideEffects: false }] },
    plugins: [lazyPatterns(join(import.meta.dirname, 'src')), bundleFolder(dist, chunks, isParts)],
    // What it offers to require() looks its own files up in a way that no bundler follows.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    output: {
      dir: dist,
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].cjs',
      chunkFileNames: `${chunks}/[name].cjs`,
      strict: true,
      // Nothing names the maps: they are read where an error is shown, and then alone.
      sourcemap: 'hidden',
      // Names stay, for the stack traces of bugs.
      minify: { mangle: { keepNames: true }, compress: { keepNames: { function: true, class: true } } },
      ...extra,
    },
  };
}

/** The program of the command line: its entry, the command itself, and the one that agents' hooks run, each in its parts. */
export const programs = ({ dist, main, hook }) => [
  bundle(dist, 'ctx', 'bin/ctx.ts', 'entry', {
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
  }),
  bundle(dist, 'main', 'src/cli/main.ts', 'chunks', main, true),
  bundle(dist, 'hook', 'src/cli/hook-main.ts', 'hook', hook, true),
];

export default defineConfig([
  ...programs({ dist: 'dist', main: inParts('main'), hook: inParts('hook') }),
  // Read and debugged by others: as it was written, but for its types.
  bundle('dist', 'index', 'src/index.ts', 'library', { minify: false, sourcemap: true }),
  bundle('dist', 'ingest-thread', 'src/app/intake/thread.ts', 'thread'),
]);
