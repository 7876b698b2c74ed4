// Makes the code cache of this Node: the hot commands run once in a temporary store, and what V8 compiled is kept. Never fails a build.
import { spawnSync } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CODE, LAST_WORDS, makeSandbox, NAMED, toolOf } from './hot-commands.mjs';

const DIST = join(import.meta.dirname, '..', 'dist');
const program = join(DIST, 'ctx.cjs');
const { folder, environment, input, payload, settings, pack, remove } = makeSandbox();
const hook = (...event) => `hook claude-code <${input(payload(...event))}`;
const prompted = hook('UserPromptSubmit', 0, { prompt: 'Add a cache' });
const used = hook('PostToolUse', 3, toolOf('a', NAMED));
const lines = [
  // These first: once a process has WebAssembly, it no longer does what those do that need none.
  used,
  'observe note warm',
  'stage status',
  `observe note - <${input(NAMED)}`,
  'stage flush',
  'stage ask warm',
  'stage status',
  'message --as modification warm',
  prompted,
  used,
  hook('PostToolUse', 3, toolOf('b', CODE)),
  hook('Stop', 5, { last_assistant_message: LAST_WORDS }),
  prompted,
];
/** Makes the store, in processes of their own; what is packed is read from the pack afterwards. */
const before = ['init', 'stage start warm', 'observe note warm --flush', prompted, used, 'gc'];
for (const line of before) {
  const [command, file] = line.split(' <');
  const stdio = [file ? openSync(file, 'r') : 'ignore', 'ignore', 'ignore'];
  spawnSync(process.execPath, [program, '-C', folder, ...command.split(' ')], { env: environment, stdio });
}
settings({ fsync: true });
pack();
rmSync(join(DIST, 'cache'), { recursive: true, force: true });
spawnSync(process.execPath, [program], {
  cwd: folder,
  env: { ...environment, CTX_WARM: lines.join('\n') },
  stdio: ['ignore', 'ignore', 'inherit'],
});
remove();
