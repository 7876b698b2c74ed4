// The commands that agents and scripts call at every step, in a store that they make: the code cache and the parts of the program are made for these.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROBE = join(import.meta.dirname, 'loaded-probe.cjs');

/** Text that is searched closely: of every kind in which secrets are looked for, and without one. */
export const NAMED = Array.from(
  { length: 100 },
  (_, line) => `const token${line} = await client.getToken("https://x.example/"); // api_key: process.env.API_KEY\n`,
).join('');

/** Code as agents read and print it: with escapes, which are also searched as they read, and no name of a secret. */
export const CODE = String.raw`export function lines(text: string): readonly string[] {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  // A last line without a line feed counts too: my%20notes.txt
  return text.slice(0, end).split(/\r?\n/).filter((line) => /^[^\/]+\//.test(line));
}
`.repeat(6);

/** Last words with all that a question is looked for in. */
export const LAST_WORDS = `Added, and the dialog now says: “3 of 10”.

> How large may it be?

It has two sizes:

- **small**, which is the default
- **Option B:** large, for 2026-01-01

Shall I keep the small one, or do you want the other (y/n)?`;

/** Returns the lines that Claude Code writes of a turn in a folder. */
const turnIn = (folder) =>
  [
    ['user', 'Add a cache'],
    ['assistant', [{ type: 'text', text: 'I look first.' }]],
    ['assistant', [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } }]],
    ['user', [{ type: 'tool_result', tool_use_id: 'a', content: CODE + NAMED, is_error: false }]],
    ['assistant', [{ type: 'text', text: 'Added.' }]],
  ].map(([role, content], at) => ({
    ...{ type: role, uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: 'warm' },
    ...{ timestamp: `2026-01-01T00:00:0${at}.000Z`, version: '2.1.0', cwd: folder, gitBranch: 'main' },
    isSidechain: false,
    message: {
      role,
      content,
      ...(role === 'assistant' && { id: `m${at}`, model: 'model', usage: { output_tokens: at } }),
    },
  }));

/** Makes a temporary folder to run commands in; nothing of its store is left in the home of the user who builds. */
export function makeSandbox() {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-hot-'));
  const own = Object.entries(process.env).filter(([name]) => !/^(?:CTX|XDG)_/.test(name));
  const environment = { ...Object.fromEntries(own), HOME: folder, USERPROFILE: folder };
  const file = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  /** Writes the beginning of the transcript, so many lines of it. */
  const transcript = (lines) =>
    file(
      `${lines}.jsonl`,
      turnIn(folder)
        .slice(0, lines)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  let files = 0;
  return {
    folder,
    environment,
    /** Writes an input for a command; returns its path. */
    input: (content) => {
      files += 1;
      return file(`input-${files}`, content);
    },
    /** Returns what Claude Code sends to a hook, at so many lines of the transcript. */
    payload: (hook_event_name, lines, fields) =>
      JSON.stringify({
        ...{ session_id: 'warm', transcript_path: transcript(lines), cwd: folder, hook_event_name },
        ...fields,
      }),
    settings: (settings) => writeFileSync(join(folder, '.ctx', 'settings.json'), `${JSON.stringify(settings)}\n`),
    /** Leaves the store as Git would: objects in a pack alone, and refs in a file. */
    pack: () => {
      const objects = join(folder, '.ctx', 'objects');
      for (const name of readdirSync(objects).filter((entry) => entry.length === 2))
        rmSync(join(objects, name), { recursive: true });
      // If Git is not installed, that much is compiled when it is needed.
      spawnSync('git', ['--git-dir', join(folder, '.ctx'), 'pack-refs', '--all'], { stdio: 'ignore' });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the report of a tool. */
export const toolOf = (id, stdout) => ({
  ...{ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'ls' }, tool_response: { stdout } },
});

/**
 * Lists commands in the order in which they run, the hot ones first, each with the parts that it may load. A part is a file to
 * read and compile, so each command has few; and the fewer commands load a part, the less it costs to have more in it.
 */
function commandsIn({ payload, settings, pack }) {
  const hook = (event, lines, fields) => [['hook', 'claude-code'], () => payload(event, lines, fields)];
  const main = (name, parts, words, input) => ({ program: 'main', name, parts: ['core', ...parts], words, input });
  const agent = (name, parts, [words, input]) => ({ program: 'hook', name, parts: ['core', ...parts], words, input });
  const plain = 'Some words of a note that names nothing. '.repeat(250);
  const move = ['observe', 'steps', 'messages', 'packs', 'moves'];
  const reading = [...move, 'reading'];
  const other = [...reading, 'named', 'other'];
  const prompt = (text) => hook('UserPromptSubmit', 5, { prompt: text });
  return [
    main('init', other, ['init']),
    { before: () => settings({ fsync: false }), words: ['stage', 'start', 'warm'] },
    { words: ['observe', 'note', 'warm', '--flush'] },
    main('status', [], ['stage', 'status']),
    // An error is reported by what is loaded already: nothing more may be left to load with.
    { ...main('a refusal', [], ['-C', '/no/such/folder', 'stage', 'status']), fails: true },
    main('observe', ['observe'], ['observe', 'note', 'warm']),
    main('status of a record that waits', [], ['stage', 'status']),
    main('observe 10 KB', ['observe'], ['observe', 'note', '-'], () => plain),
    main('observe names of secrets', ['observe', 'named'], ['observe', 'note', '-'], () => NAMED),
    main('flush', ['steps'], ['stage', 'flush']),
    main('ask', ['observe', 'steps'], ['stage', 'ask', 'warm?']),
    main('status of a question', [], ['stage', 'status', '--json']),
    main('message', ['observe', 'steps', 'messages'], ['message', '--as', 'modification', 'warm']),
    agent('first prompt', ['steps', 'messages', 'rare'], prompt('Add a cache')),
    agent('first tool', [], hook('PostToolUse', 3, toolOf('a', 'ok'))),
    agent('tool', [], hook('PostToolUse', 3, toolOf('b', plain))),
    agent('tool of code', [], hook('PostToolUse', 3, toolOf('f', CODE))),
    agent('names of secrets', ['named'], hook('PostToolUse', 3, toolOf('c', NAMED))),
    agent('end of a turn', ['steps', 'named', 'transcript'], hook('Stop', 5, { last_assistant_message: LAST_WORDS })),
    agent('prompt', ['steps', 'messages'], prompt('Yes, keep it')),
    agent('broken payload', ['noted'], [['hook', 'claude-code'], () => '{"session_id":']),
    agent('tool after it', [], hook('PostToolUse', 5, toolOf('d', 'ok'))),
    agent('prompt within a turn', ['steps', 'messages'], prompt('Also make it fast')),
    agent(
      'end of a turn without its transcript',
      ['steps'],
      hook('Stop', 5, { transcript_path: null, last_assistant_message: 'Added.' }),
    ),
    { words: ['gc'] },
    { ...main('status, packed', ['packs'], ['stage', 'status']), before: pack },
    agent('prompt, packed', ['steps', 'messages', 'packs'], prompt('Also make it small')),
    agent('tool, packed', ['packs'], hook('PostToolUse', 5, toolOf('e', 'ok'))),
    main('observe, packed', ['observe', 'packs'], ['observe', 'note', 'warm']),
    main('flush, packed', ['steps', 'packs'], ['stage', 'flush']),
    // Those behind this one are no hot commands: what they load lies together, and may be loaded in vain.
    main('messages', reading, ['messages']),
    main('done', move, ['stage', 'done', 'Added']),
    main('confirm', move, ['stage', 'confirm']),
    main('start', move, ['stage', 'start', 'warm again']),
    main('compact', move, ['stage', 'compact']),
    main('recover', move, ['stage', 'recover']),
    main('log', reading, ['log', '-n', '1']),
    main('show', reading, ['show', 'HEAD']),
    main('list', reading, ['list']),
    main('search', reading, ['search', 'cache']),
    main('usage', reading, ['usage']),
    main('resumable', reading, ['resume', '--list']),
    main('diff', other, ['diff']),
    main('undo', other, ['undo']),
    main('start again', other, ['start', 'warm']),
    main('stop', other, ['stop']),
    main('resume', other, ['resume']),
    main('fsck', other, ['fsck']),
    main('du', other, ['du']),
    main('hooks', other, ['hooks', 'status']),
    main('capture', other, ['capture', 'status']),
    main('gc', other, ['gc']),
  ];
}

/** Runs a line in a sandbox; returns the files of the program that it has loaded. */
function loadedBy(program, { folder, environment, input }, { words, parts = [], fails = false }, text) {
  const out = join(folder, 'loaded.json');
  const stdin = text === undefined ? 'ignore' : openSync(input(text), 'r');
  const { status, stderr } = spawnSync(process.execPath, ['-r', PROBE, program, ...words], {
    cwd: folder,
    env: { ...environment, CTX_LOADED: out },
    stdio: [stdin, 'ignore', 'pipe'],
  });
  // Some of the others answer a question by their exit code.
  if ((status !== 0) !== fails && !parts.includes('other'))
    throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(readFileSync(out, 'utf8'));
}

/**
 * Runs commands; returns each that has parts with the files of the program that it has loaded.
 * @param program path of `ctx.cjs`
 * @param isHotOnly true without those that people call now and then
 */
export function runCommands(program, isHotOnly = false) {
  const sandbox = makeSandbox();
  try {
    const all = commandsIn(sandbox);
    const hot = all.findIndex(({ name }) => name === 'messages');
    return (isHotOnly ? all.slice(0, hot) : all).flatMap(({ before, input, ...command }) => {
      before?.();
      const loaded = loadedBy(program, sandbox, command, input?.());
      return command.program === undefined ? [] : [{ ...command, loaded }];
    });
  } finally {
    sandbox.remove();
  }
}
