// Three bundles: the tiny entry of the command, the command itself with chunks loaded on demand, and the library.
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { bundleFolder } from './.ci/bundle-folder.mjs';

/** What an entry imports at once, directly or not: it stands in one chunk, so that the hot path is two small files. */
function eagerModules(entry, info) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of info(id)?.importedIds ?? []) found.add(imported);
  return found;
}

function coreGroup() {
  let eager;
  const name = (id, context) => {
    eager ??= eagerModules(join(import.meta.dirname, 'src', 'cli', 'main.ts'), (module) =>
      context.getModuleInfo(module),
    );
    return eager.has(id) ? 'core' : null;
  };
  return { debugName: 'core', name, includeDependenciesRecursively: false };
}

/** One CommonJS bundle: `dist/<name>.cjs`, and what only `import()` reaches in `dist/<chunks>/`. */
function bundle(name, input, chunks, extra = {}) {
  return {
    input: { [name]: input },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    plugins: [bundleFolder('dist', chunks)],
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
  bundle('main', 'src/cli/main.ts', 'chunks', { codeSplitting: { groups: [coreGroup()] } }),
  bundle('index', 'src/index.ts', 'library'),
]);
