// Settings of agents with our hooks in them and without: what stands there already stays byte for byte.
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { CtxError } from '../../src/core/errors.ts';
import { hookLine, isHookLine } from '../../src/core/hook-line.ts';
import { hasOwnHooks, hookState, installHooks, uninstallHooks, type WantedHook } from '../../src/core/hook-settings.ts';

const command = "'/usr/bin/node' '/opt/ctx/dist/ctx.cjs' hook claude-code";
const OLD = "node '/old/place/dist/ctx.cjs' hook claude-code";
const STOP: WantedHook = { event: 'Stop', command, timeout: 30 };
const ASK: WantedHook = { event: 'PreToolUse', matcher: 'AskUserQuestion', command, timeout: 10 };
const END: WantedHook = { event: 'SessionEnd', command, timeout: 3 };
const WANTED = [STOP, ASK];
const install = (text: string, wanted: WantedHook[] = [STOP]) => installHooks(text, wanted, { file: '/s.json' });
const uninstall = (text: string, before: string | null, wanted: WantedHook[] = [STOP]) =>
  uninstallHooks(text, before, wanted, { file: '/s.json' });

/** Returns the error that is thrown, as a person reads it. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'invalid_settings') return error.message;
    throw error;
  }
  return expect.fail('nothing was refused');
}

const entry = (text = command): string => JSON.stringify({ type: 'command', command: text, timeout: 30 });

test('an empty file becomes one with nothing but the hooks', () => {
  expect(install('', WANTED)).toBe(`{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "${command}",
            "timeout": 30
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "AskUserQuestion",
        "hooks": [
          {
            "type": "command",
            "command": "${command}",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
`);
});

const SHOWN = `[
      {
        "hooks": [
          {
            "type": "command",
            "command": "${command}",
            "timeout": 30
          }
        ]
      }
    ]`;

describe('what is there already stays as it is', () => {
  test.each([
    ['an empty object', '{}', `{\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}`],
    ['an empty object on two lines', '{\n}\n', `{\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}\n`],
    ['no line feed at the end', '{\n  "a": 1\n}', `{\n  "a": 1,\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}`],
    [
      'comments',
      '// top\n{\n  // about a\n  "a": 1 // behind a\n  // at the end\n}\n// bottom\n',
      `// top\n{\n  // about a\n  "a": 1, // behind a\n  // at the end\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}\n// bottom\n`,
    ],
    [
      'a trailing comma, and a comment behind it',
      '{\n  "a": 1, // one\n}\n',
      `{\n  "a": 1, // one\n  "hooks": {\n    "Stop": ${SHOWN}\n  },\n}\n`,
    ],
    [
      'the hooks of somebody else under the same event',
      '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
      `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] },\n${SHOWN.slice(2, -6)}\n    ]\n  }\n}\n`,
    ],
    [
      'one line',
      '{"a": [1], "hooks": {"Stop": [{"hooks": []}]}}',
      `{"a": [1], "hooks": {"Stop": [{"hooks": []}, {"hooks":[${entry()}]}]}}`,
    ],
    ['only a comment', '// soon', `// soon\n{\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}\n`],
    ['a byte order mark', '\ufeff{}', `\ufeff{\n  "hooks": {\n    "Stop": ${SHOWN}\n  }\n}`],
    [
      'tabs and CR LF',
      '{\r\n\t"a": 1\r\n}\r\n',
      `{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": ${SHOWN.replace(/^ +/gm, (blanks) => '\t'.repeat(blanks.length / 2))}\n\t}\n}\n`.replaceAll(
        '\n',
        '\r\n',
      ),
    ],
    [
      'four blanks',
      '{\n    "a": 1\n}\n',
      `{\n    "a": 1,\n    "hooks": {\n        "Stop": ${SHOWN.replace(/^ +/gm, (blanks) => blanks + blanks)}\n    }\n}\n`,
    ],
  ])('%s', (_what, before, after) => {
    const installed = install(before);
    expect(installed).toBe(after);
    expect(install(installed)).toBe(installed);
    expect(hookState(before, [STOP], { file: '' })).toBe('none');
    expect(hookState(installed, [STOP], { file: '' })).toBe('current');
    expect(uninstall(installed, before)).toBe(before);
  });
});

describe('without the file from before the install, an uninstall removes only our hooks', () => {
  test.each([
    ['{\n  "a": 1 // behind a\n  // at the end\n}\n'],
    ['{\n  "a": 1, // one\n}\n'],
    ['{"a": [1], "hooks": {"Stop": [{"hooks": []}]}}'],
    ['{\n  "a": 1,\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n'],
    ['{\n  "hooks": { "Stop": [ { "hooks": [] } ] }, // mine\n  "a": 1\n}\n'],
    ['{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Start": []\r\n\t}\r\n}\r\n'],
    ['{\n  "hooks": {\n    // mine\n    "Stop": [\n      { "hooks": [] } // also mine\n    ],\n  }\n}\n'],
    ['{}'],
  ])('%j', (before) => {
    for (const wanted of [WANTED, [...WANTED, END]])
      expect(uninstall(install(before, wanted), null, wanted)).toBe(before);
  });

  test('keeps what somebody has added since, anywhere in the file', () => {
    const before = '{\n  "a": 1\n}\n';
    const changed = install(before)
      .replace('"a": 1,', '"a": 2, // two')
      .replace('"Stop": [', '"Stop": [\n      { "matcher": "x" }, // theirs')
      .replace('"hooks": {', '"hooks": {\n    // a word on hooks');
    expect(uninstall(changed, before)).toBe(`{
  "a": 2, // two
  "hooks": {
    // a word on hooks
    "Stop": [
      { "matcher": "x" } // theirs
    ]
  }
}
`);
  });

  test('what held nothing before the install stays, and holds nothing', () => {
    const before = '{"hooks": {"Stop": []}, "a": 1}';
    const changed = `${install(before).slice(0, -1)}, "b": 2}`;
    expect(uninstall(changed, before)).toBe('{"hooks": {"Stop": []}, "a": 1, "b": 2}');
    expect(uninstall(changed, '{"hooks": {}, "a": 1}')).toBe('{"hooks": {}, "a": 1, "b": 2}');
    expect(uninstall(changed, '{"a": 1}')).toBe('{"a": 1, "b": 2}');
  });

  test('a comment before ours does not swallow what comes behind it', () => {
    const ours = `{"hooks":[${entry()}]}`;
    expect(uninstall(`{"hooks":{"Stop":[ // list\n${ours}, 7 ]}}`, '{}')).toBe('{"hooks":{"Stop":[ // list\n7 ]}}');
    expect(uninstall(`{"hooks":{"Stop":[7, // list\n${ours} ]}}`, '{}')).toBe('{"hooks":{"Stop":[7 // list\n ]}}');
    expect(uninstall(`{"hooks":{"Stop":[${ours} /* x */, 7]}}`, '{}')).toBe('{"hooks":{"Stop":[ /* x */ 7]}}');
  });
});

test.each(['grouped', 'listed'] as const)(
  'removes what an install has made if nothing else is left in it: %s',
  (shape) => {
    const settings = { file: '/s.json', shape };
    const put = (before: string, more: string): string => installHooks(before, [STOP], settings) + more;
    const take = (text: string, before: string | null) => uninstallHooks(text, before, [STOP], settings);
    expect(take(put('', '\n '), null)).toBe(null);
    expect(take(put('', '\n '), '')).toBe('\n ');
    expect(take(put('// none\n', '// mine\n'), '// none\n')).toBe('// none\n// mine\n');
    // The user's own text stays, and so does an object that was there before.
    expect(take(put('', '// mine\n'), null)).toBe('{}\n// mine\n');
    expect(take(put('{}', '\n '), '{}')).toBe('{}\n ');
    expect(take(put('', '\n ').replace('{', '{ // mine'), '')).toMatch(/^\{ \/\/ mine\s+\}\n\n $/);
  },
);

test.each([
  ['nothing that is known', null, '{"z":1,"version":1'],
  ['an empty object', '{}', '{"z":1'],
  ['a version', '{"version":1}', '{"z":1,"version":1'],
])('the version of a list goes with our hooks where it came with them: %s', (_name, before, kept) => {
  const listed = { file: '/s.json', shape: 'listed' } as const;
  const stop: WantedHook = { event: 'stop', command, timeout: 30 };
  const installed = installHooks(before ?? '', [stop], listed);
  expect(parse(installed).version).toBe(1);
  const edited = installed.replace('{', '{"z":1,');
  const bare = uninstallHooks(edited, before, [stop], listed);
  expect(parse(bare ?? '')).toEqual(parse(`${kept}}`));
  // Another hook that has come meanwhile needs it.
  const shared = installHooks(edited.replace('[', '[{"command":"other"},'), [stop], listed);
  const left = uninstallHooks(shared, before, [stop], listed);
  expect(parse(left ?? '')).toEqual({ z: 1, version: 1, hooks: { stop: [{ command: 'other' }] } });
});

describe('hooks of ours that are not as they must be', () => {
  const other = '{"type": "command", "command": "say ctx.cjs hook"}';

  test('corrects an older line in place, and keeps whatever else was written next to it', () => {
    const before = `{"hooks": {"Stop": [ {"hooks": [${other}, {"command": ${JSON.stringify(OLD)}, "async": true} ]}, 7 ]}}`;
    expect(hookState(before, [STOP], { file: '' })).toBe('outdated');
    const after = `{"hooks": {"Stop": [ {"hooks": [${other}, {"command": "${command}", "async": true, "type": "command", "timeout": 30} ]}, 7 ]}}`;
    expect(install(before).replaceAll('":"', '": "').replaceAll('":30', '": 30')).toBe(after);
  });

  test('keeps a hook of ours once that is there twice', () => {
    const once = install('{\n  "a": 1\n}\n');
    const twice = once.replace('"Stop": [', `"Stop": [\n      {"hooks": [${entry(OLD)}]},`);
    expect(hasOwnHooks(twice)).toBe(true);
    expect(parse(install(twice))).toEqual(parse(once));
    expect(uninstall(twice, '{\n  "a": 1\n}\n')).toBe('{\n  "a": 1\n}\n');
  });

  test('one under an event, or for a tool, that ctx no longer wants goes', () => {
    const before = `{"hooks": {"Start": [{"hooks": [${entry()}]}], "Stop": [{"matcher": "x", "hooks": [${entry()}, ${other}]}]}}`;
    expect(hookState(before, [STOP], { file: '' })).toBe('partly');
    expect(parse(install(before))).toEqual({
      hooks: {
        Stop: [{ matcher: 'x', hooks: [JSON.parse(other)] }, { hooks: [JSON.parse(entry())] }],
      },
    });
  });

  test('some that are missing are added', () => {
    const partly = install('{}', [STOP]);
    expect(hookState(partly, WANTED, { file: '' })).toBe('partly');
    expect(install(partly, WANTED)).toBe(install('{}', WANTED));
    expect(uninstall(partly, '{}', WANTED)).toBe('{}');
  });

  test('a line of another version, from another place, is known again when it goes', () => {
    const before = '{\n  "a": 1\n}\n';
    const old = install(before, [{ ...STOP, command: OLD, timeout: 5 }]);
    expect(uninstall(old, before, WANTED)).toBe(before);
    expect(uninstall(install('', [{ ...STOP, command: OLD }]), null, WANTED)).toBe(null);
  });

  test('a backup that has hooks of ours in it brings none back', () => {
    const installed = install('{"a": 1}');
    expect(uninstall(installed, installed)).toBe('{"a": 1}');
  });
});

describe('what cannot be read is refused, with its line', () => {
  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', '/s.json, line 3: it is not JSON (comma expected)'],
    ['{\r\n"a": \r\n}', '/s.json, line 3: it is not JSON (value expected)'],
    ['{"a": 1', '/s.json, line 1: it is not JSON (close brace expected)'],
    ['{} {}', '/s.json, line 1: it is not JSON (end of file expected)'],
    ['[]', '/s.json, line 1: it is not a JSON object'],
    ['\n"hooks"', '/s.json, line 2: it is not a JSON object'],
    ['{\n"hooks": []}', '/s.json, line 2: "hooks" must be an object of events'],
    ['{"hooks": null}', '/s.json, line 1: "hooks" must be an object of events'],
    ['{"hooks": {\n\n"Stop": {}}}', '/s.json, line 3: "Stop" must be a list of hooks'],
    ['{"hooks": {},\n"hooks": {}}', '/s.json, line 2: "hooks" is there twice'],
    ['{"hooks": {"Stop": [],\n"Stop": []}}', '/s.json, line 2: "Stop" is there twice'],
  ])('%j', (text, message) => {
    expect(refusal(() => install(text))).toBe(message);
    expect(refusal(() => hookState(text, [STOP], { file: '/s.json' }))).toBe(message);
    expect(hasOwnHooks(text)).toBe(false);
  });

  test('refuses settings that are nested too deeply with an error, not a bug report', () => {
    expect(refusal(() => install('['.repeat(100_000)))).toBe('/s.json, line 1: it is nested too deeply');
  });

  test('odd things beside the hooks are left alone', () => {
    const odd =
      '{"hooks": {"Other": 7, "Start": {"hooks": 1}, "Stop": [null, 7, [], {"hooks": 7}, {"hooks": [7, {"command": 7}]}]}}';
    expect(parse(install(odd)).hooks.Stop.slice(0, -1)).toEqual(parse(odd).hooks.Stop);
    expect(uninstall(install(odd), null)).toBe(odd);
    expect(uninstall('{"hooks": 7}', null)).toBe('{"hooks": 7}');
  });
});

test('a line of ours is known by what it calls', () => {
  const lines = [
    hookLine({ node: '/n', program: "/a b/it's/$x/dist/ctx.cjs", agent: 'codex' }),
    'node "/opt/ctx/dist/ctx.cjs" hook codex',
    'NODE_EXTRA_CA_CERTS= node /opt/ctx/dist/ctx.cjs hook claude-code || true',
    'node "C:\\ctx\\dist\\ctx.cjs" hook codex',
  ];
  const others = [
    'ctx hook codex',
    'node /opt/ctx.cjs hooks status',
    'echo ctx.cjs',
    'node /opt/notctx.cjs hook codex',
  ];
  expect(lines.map(isHookLine)).toEqual(lines.map(() => true));
  expect(others.map(isHookLine)).toEqual(others.map(() => false));
});
