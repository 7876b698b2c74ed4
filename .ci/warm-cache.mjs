// Makes the code cache of this Node: the hot commands run once in a temporary store, and what V8 compiled is kept. Never fails a build.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', 'dist', 'ctx.cjs');
const folder = mkdtempSync(join(tmpdir(), 'ctx-warm-'));
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CTX_')));
/** Makes the store, in processes of their own; what is packed is read from the pack afterwards. */
const before = ['init', 'stage start warm', 'observe note warm --flush', 'gc'];
const lines = ['stage status', 'observe note warm', 'stage flush', 'stage ask warm', 'stage status'];
for (const line of before) {
  spawnSync(process.execPath, [program, '-C', folder, ...line.split(' ')], { env: environment, stdio: 'ignore' });
}
const objects = join(folder, '.ctx', 'objects');
for (const name of readdirSync(objects).filter((entry) => entry.length === 2))
  rmSync(join(objects, name), { recursive: true });
// The refs as well, as Git leaves them; where it is not installed, that much is compiled when it is needed.
spawnSync('git', ['--git-dir', join(folder, '.ctx'), 'pack-refs', '--all'], { stdio: 'ignore' });
rmSync(join(import.meta.dirname, '..', 'dist', 'cache'), { recursive: true, force: true });
spawnSync(process.execPath, [program, '-C', folder], {
  env: { ...environment, CTX_WARM: lines.join('\n') },
  stdio: ['ignore', 'ignore', 'inherit'],
});
rmSync(folder, { recursive: true, force: true });
