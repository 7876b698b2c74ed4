// Makes the code cache of this Node: the hot commands run once in a temporary store, and what V8 compiled is kept. Never fails a build.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', 'dist', 'ctx.cjs');
const folder = mkdtempSync(join(tmpdir(), 'ctx-warm-'));
const own = Object.entries(process.env).filter(([name]) => !/^(?:CTX|XDG)_/.test(name));
/** Nothing of the store is left in the home of the user who builds. */
const environment = { ...Object.fromEntries(own), HOME: folder, USERPROFILE: folder };
/** Text that is searched closely: of every kind in which secrets are looked for, and without one. */
const text = Array.from(
  { length: 100 },
  (_, line) => `const token${line} = await client.getToken("https://x.example/"); // api_key: process.env.API_KEY\n`,
).join('');
/** A file to read from standard input; gives its path. */
const file = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
/** The lines that Claude Code writes of a turn, and how much of it is there at a time. */
const turn = [
  ['user', 'Add a cache'],
  ['assistant', [{ type: 'text', text: 'I look first.' }]],
  ['assistant', [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } }]],
  ['user', [{ type: 'tool_result', tool_use_id: 'a', content: text, is_error: false }]],
  ['assistant', [{ type: 'text', text: 'Added.' }]],
].map(([role, content], at) => ({
  ...{ type: role, uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: 'warm', isSidechain: false },
  ...{ timestamp: `2026-01-01T00:00:0${at}.000Z`, version: '2.1.0', cwd: folder, gitBranch: 'main' },
  message: {
    role,
    content,
    ...(role === 'assistant' && { id: `m${at}`, model: 'model', usage: { output_tokens: at } }),
  },
}));
const transcript = (lines) =>
  file(
    `${lines}.jsonl`,
    turn
      .slice(0, lines)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
const hook = (hook_event_name, lines, fields) => {
  const payload = { session_id: 'warm', transcript_path: transcript(lines), cwd: folder, hook_event_name, ...fields };
  return `hook claude-code <${file(hook_event_name, JSON.stringify(payload))}`;
};
/** Last words with all that a question is looked for in. */
const said = `Added, and the dialog now says: “3 of 10”.

> How large may it be?

It has two sizes:

- **small**, which is the default
- **Option B:** large, for 2026-01-01

Shall I keep the small one, or do you want the other (y/n)?`;
const tool = { tool_name: 'Bash', tool_use_id: 'a', tool_input: { command: 'ls' }, tool_response: { stdout: text } };
const [prompted, used] = [hook('UserPromptSubmit', 0, { prompt: 'Add a cache' }), hook('PostToolUse', 3, tool)];
const lines = [
  // These first: once a process has WebAssembly, it no longer does what those do that need none.
  used,
  'observe note warm',
  'stage status',
  `observe note - <${file('note', text)}`,
  'stage flush',
  'stage ask warm',
  'stage status',
  'message --as modification warm',
  prompted,
  used,
  hook('Stop', 5, { last_assistant_message: said }),
  prompted,
];
/** Makes the store, in processes of their own; what is packed is read from the pack afterwards. */
const before = ['init', 'stage start warm', 'observe note warm --flush', prompted, used, 'gc'];
for (const line of before) {
  const [command, input] = line.split(' <');
  const stdio = [input ? openSync(input, 'r') : 'ignore', 'ignore', 'ignore'];
  spawnSync(process.execPath, [program, '-C', folder, ...command.split(' ')], { env: environment, stdio });
}
writeFileSync(join(folder, '.ctx', 'settings.json'), '{"fsync": true}\n');
const objects = join(folder, '.ctx', 'objects');
for (const name of readdirSync(objects).filter((entry) => entry.length === 2))
  rmSync(join(objects, name), { recursive: true });
// The refs as well, as Git leaves them; where it is not installed, that much is compiled when it is needed.
spawnSync('git', ['--git-dir', join(folder, '.ctx'), 'pack-refs', '--all'], { stdio: 'ignore' });
rmSync(join(import.meta.dirname, '..', 'dist', 'cache'), { recursive: true, force: true });
spawnSync(process.execPath, [program], {
  cwd: folder,
  env: { ...environment, CTX_WARM: lines.join('\n') },
  stdio: ['ignore', 'ignore', 'inherit'],
});
rmSync(folder, { recursive: true, force: true });
