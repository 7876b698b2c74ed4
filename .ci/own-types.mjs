// Puts the types of zod beside the declarations that refer to them: a project that has installed ctx has no zod.
//
//   node .ci/own-types.mjs dist/types
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

const [folder] = process.argv.slice(2);
const zod = join(dirname(createRequire(import.meta.url).resolve('zod/package.json')), 'v4');
const own = join(folder, 'zod');

rmSync(own, { recursive: true, force: true });
for (const part of ['core', 'locales', 'mini']) {
  mkdirSync(join(own, part), { recursive: true });
  for (const name of readdirSync(join(zod, part)))
    if (name.endsWith('.d.cts')) cpSync(join(zod, part, name), join(own, part, name));
}

/** The entry of each part that declarations name. */
const ENTRIES = { 'zod/mini': 'mini/index.cjs', 'zod/v4/core': 'core/index.cjs' };

for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  const next = text.replace(/(from |import\()(['"])(zod\/mini|zod\/v4\/core)\2/g, (_whole, before, quote, entry) => {
    const place = relative(dirname(path), join(own, ENTRIES[entry])).replaceAll(sep, '/');
    return `${before}${quote}${place.startsWith('.') ? place : `./${place}`}${quote}`;
  });
  if (next !== text) writeFileSync(path, next);
}
