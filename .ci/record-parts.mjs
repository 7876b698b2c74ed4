// Records which modules the hot commands load, and puts each into a part of the program: `npm run parts:write`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { programs } from '../rolldown.config.mjs';
import { runCommands } from './hot-commands.mjs';
import { eachModule, moduleOf, PARTS_FILE, partsOf } from './program-parts.mjs';

const dist = mkdtempSync(join(tmpdir(), 'ctx-parts-'));
try {
  // A build in which each module is a part of its own: a command loads what it asks for, and nothing else.
  for (const { output, ...input } of programs({ dist, main: eachModule(), hook: eachModule() })) {
    const bundle = await rolldown(input);
    await bundle.write(output);
    await bundle.close();
  }
  const runs = runCommands(join(dist, 'ctx.cjs')).map(({ loaded, ...run }) => ({
    ...run,
    modules: loaded.map((file) => moduleOf(relative(dist, file))).filter((module) => module.startsWith('src/')),
  }));
  writeFileSync(PARTS_FILE, `${JSON.stringify(partsOf(runs), null, 2)}\n`);
} finally {
  rmSync(dist, { recursive: true, force: true });
}
