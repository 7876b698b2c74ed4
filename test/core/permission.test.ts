// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of a shell.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/permission/decide.ts';
import { coversPath } from '../../src/core/permission/paths.ts';
import { ruleParts, ruleText, type ScopedRule, VERDICTS, type Verdict } from '../../src/core/permission/rule.ts';
import { readShell } from '../../src/core/permission/shell.ts';

const AROUND = { root: '/home/dev/acme', home: '/home/dev' };

/** `allow Bash(npm test *)` as a rule of a scope; `pinned` behind it pins. */
function rule(text: string, scope: ScopedRule['scope'] = 'session'): ScopedRule {
  const [verdict = '', ...rest] = text.replace(/ pinned$/, '').split(' ');
  return { verdict: verdict as Verdict, rule: rest.join(' '), scope, pin: text.endsWith(' pinned') };
}

const RULES = [
  ...['git status *', 'git log *', 'git diff *', 'git add *', 'npm test *', 'npm run *', 'ls *', 'cat *', 'grep *'],
  ...['echo *', 'wc *', 'head *', 'tail *', 'sort *', 'find *', 'node --version', 'true', 'cd *', 'tsc *'],
]
  .map((words) => rule(`allow Bash(${words})`))
  .concat(
    ['git push *', 'docker *'].map((words) => rule(`deny Bash(${words})`)),
    [rule('ask Bash(npm publish *)'), rule('ask Bash(npm run deploy *)'), rule('allow Edit(build/**)')],
  );

const verdictOn = (command: string, rules: readonly ScopedRule[] = RULES): Verdict =>
  decide(rules, 'Bash', { command }, AROUND).verdict;

/** Command lines and their verdicts, by the rules above. */
const TABLE: Readonly<Record<Verdict, readonly string[]>> = {
  allow: [
    'git status',
    'git   status   --short',
    'git status && git diff',
    'git log --oneline | head -5',
    'npm test; npm run lint',
    'npm test || echo failed',
    'npm test &',
    'npm test & npm run lint',
    'npm test\nnpm run lint',
    'npm test # and no more',
    '# nothing but a comment\nnpm test',
    '(npm test)',
    '( cd packages/a && npm test )',
    '{ npm test; npm run lint; }',
    '! npm test',
    'timeout 60 npm test',
    'timeout -k 5 60s npm test',
    'timeout -s KILL 60 npm test',
    'timeout --signal=TERM --preserve-status 60 npm test',
    'nice npm test',
    'nice -n 10 npm test',
    'nice -10 npm test',
    'ionice -c 3 npm test',
    'ionice -c3 nice npm test',
    'gtimeout 60 gnice npm test',
    'unbuffer npm test',
    'setarch x86_64 npm test',
    'env -S "npm test"',
    'env -iS "CI=1 npm test" --watch',
    'env --split-string="nice npm test"',
    'time { npm test; npm run lint; }',
    'time -p (npm test)',
    'time ! npm test',
    'nohup npm test',
    'watch npm test',
    'watch -n 5 "npm test | tail -3"',
    'flock -n build/lock npm test',
    'taskset -c 0 npm test',
    'chrt -b 0 npm test',
    'busybox ls -l',
    "trap 'echo end' EXIT",
    'nohup npm test &',
    'time npm test',
    'time -p npm test',
    'setsid -w npm test',
    'stdbuf -oL npm test',
    'stdbuf -o L npm test | head',
    'command npm test',
    'command -p npm test',
    'builtin echo hello',
    'exec npm test',
    'env npm test',
    'env CI=1 npm test',
    'env -i CI=1 npm test',
    'env -u DEBUG npm test',
    'env -C packages/a npm test',
    'CI=1 npm test',
    'CI=1 FORCE_COLOR=0 npm test',
    'NODE_ENV=test npm test',
    'timeout 60 nice -n 5 env CI=1 nohup npm test',
    'sh -c "npm test"',
    "bash -c 'npm test && git status'",
    "bash -lc 'npm test'",
    "timeout 60 bash -c 'npm test | tail -3'",
    'eval "npm test"',
    'eval npm test',
    "find . -name '*.ts' -exec grep -l todo {} +",
    "find . -name '*.ts' -exec grep -l todo {} \\;",
    'find . -type f -exec wc -l {} \\; -exec head -1 {} \\;',
    "find . -name '*.ts' | xargs grep todo",
    'find . -print0 | xargs -0 -n 10 grep todo',
    'git diff --name-only | xargs wc -l',
    'git diff --name-only | xargs -I{} cat {}',
    'ls | xargs',
    'echo $(git status)',
    'echo "branch: $(git log -1)"',
    'echo `git status`',
    "echo 'nothing $(here) runs'",
    'echo "a \\$(plain) text"',
    'echo "it costs $5"',
    'echo $HOME "$USER" ${PATH}',
    'echo $((1 + 2))',
    'echo ${name:-$(git status)}',
    'cat <(git log) <(git diff)',
    'bash -eo pipefail -c "npm test | tail -3"',
    'bash -euxo pipefail -c "npm test"',
    'bash -c -- "npm test"',
    'sh -eu -c "npm test"',
    'eval -- "npm test"',
    'export CI=1 && npm test',
    'export CI=1 PATH; npm test',
    'export NODE_ENV=test; npm test',
    'find "$DIR" -name "*.ts"',
    'npm test 2>&1',
    'npm test >/dev/null 2>&1',
    'npm test &>/dev/null',
    'npm test 2>/dev/null | tail -20',
    'npm test > build/log.txt',
    'npm test >> build/logs/today.txt 2>&1',
    'cat < README.md',
    'cat <<< "a word"',
    "cat <<'END'\n$(git push)\nEND",
    'cat <<END\nplain text\nEND\nnpm test',
    'cat <<-END\n\tplain text\n\tEND',
    'for file in a b c; do cat "$file"; done',
    'for file in $(git diff --name-only); do wc -l $file; done',
    'while true; do npm test; done',
    'until npm test; do echo again; done',
    'if npm test; then git add .; else git status; fi',
    'cd packages/a && npm test',
    'npm run build && npm test',
    'npm \\\n  test',
    '"npm" test',
    "npm 'test'",
    '/usr/bin/git status',
    '/usr/local/bin/npm test',
    'git add *.ts',
    'ls -la src/{core,app}',
    'node --version',
    'npm test -- --reporter=dot',
    "grep -rn 'a && b' src",
    'grep "a | b" src',
    "echo 'a; b'",
    'git log --format="%h (%an)"',
    'tsc --noEmit && npm test',
  ],
  ask: [
    'npm install',
    'env -S "$X npm test"',
    'env -S "npm test; npm run lint"',
    'nice bash <<END\nnpm test\nEND',
    'bash <<< "$X"',
    'cat script | bash',
    'script -qc "npm test" build/log',
    'npm publish',
    'npm run deploy',
    'npm run build && npm run deploy',
    'timeout 60 npm publish',
    'git commit -m "more"',
    'git status && git commit -m "more"',
    'sudo npm test',
    'sudo -u build npm test',
    'doas npm test',
    'timeout 60 sudo npm test',
    'node --version --more',
    'node script.js',
    'git',
    'npm test > log.txt',
    'npm test > /tmp/log.txt',
    'npm test | tee build/log.txt',
    'npm test > "$LOG"',
    'cat <<END > notes.md\ntext\nEND',
    'echo "not closed',
    "echo 'not closed",
    'echo $(git status',
    'echo `git status',
    '(npm test',
    'npm test)',
    'cat <<END\nwithout an end',
    '$RUNNER test',
    '"$RUNNER" test',
    '$(echo npm) test',
    'npm $ACTION',
    'git $ACTION',
    'case "$1" in a) npm test;; esac',
    'test_all() { npm test; }',
    'function test_all { npm test; }',
    '[[ -f a && -f b ]]',
    'select one in a b; do npm test; done',
    'bash script.sh',
    'bash -c "$SCRIPT"',
    'sh',
    'cat list | sh',
    'eval "$LINE"',
    'PATH=bin:$PATH npm test',
    'GIT_PAGER=less git log',
    'env NODE_OPTIONS=--inspect npm test',
    'env LD_LIBRARY_PATH=lib npm test',
    'timeout --unknown-option 60 npm test',
    'xargs npm',
    'xargs --unknown-option npm test',
    'find . -exec npm install {} \\;',
    'find . -exec grep todo',
    './npm test',
    'bin/git status',
    'command -v git',
    'nohup make',
    'echo $(npm install)',
    'echo ${name:-$(npm install)}',
    'echo $(( $(npm install) + 1 ))',
    'cat <(npm install)',
    'cat <<END\n$(npm install)\nEND',
    "bash <<< 'npm test'",
    'bash <<END\nnpm test\nEND',
    'sh -s',
    'flock lock -c "npm test"',
    'watch --unknown-option npm test',
    'taskset -p 1',
    'su -c "npm test"',
    'strace npm test',
    'chroot image npm test',
    '',
    '# only a comment',
  ],
  deny: [
    'git push',
    'env -S "git push"',
    'env -vS "nice git push"',
    'ls | xargs -I{} sh -c "git push {}"',
    'find . -name "*.md" -exec sh -c "git push {}" \\;',
    'script -qc "git push" build/log',
    'flock build/lock -c "git push"',
    'parallel "git push {}" ::: origin',
    'trap -- "git push" EXIT',
    'coproc git push',
    'function f { git push; }; f',
    'time { git push; }',
    'gtimeout 5 git push',
    'fakeroot git push',
    'bash <<END\ngit push\nEND',
    'sudo bash -s <<END\ngit push\nEND',
    'sh <<< "git push"',
    'git push origin main',
    'git  push',
    'git -C packages/a push',
    'git --no-pager push',
    '/usr/bin/git push',
    '/opt/git/bin/git push',
    '"git" push',
    'git "push"',
    'g"i"t push',
    'git pu\\sh',
    'git \\\n push',
    'git status && git push',
    'git status || git push',
    'git status; git push',
    'git status | git push',
    'git status & git push',
    'git status\ngit push',
    '(git push)',
    '{ git push; }',
    '! git push',
    'if git push; then echo done; fi',
    'while true; do git push; done',
    'for remote in a b; do git push $remote; done',
    'timeout 60 git push',
    'timeout --unknown-option 60 git push',
    'nice -n 10 git push',
    'nohup git push &',
    'time git push',
    'sudo git push',
    'sudo -u build git push',
    'sudo -E CI=1 git push',
    'env git push',
    'env -i CI=1 git push',
    'CI=1 git push',
    'GIT_SSH_COMMAND=ssh git push',
    'command git push',
    'exec git push',
    'setsid git push',
    'stdbuf -oL git push',
    'xargs git push',
    'echo main | xargs -n 1 git push origin',
    'xargs --unknown-option git push',
    'find . -name .git -execdir git push \\;',
    "find . -exec sh -c 'git push' \\;",
    "sh -c 'git push'",
    "bash -lc 'cd a && git push'",
    `sh -c "sh -c 'git push'"`,
    'eval "git push"',
    "trap 'git push' EXIT",
    'watch -n 5 "git push"',
    'flock build/lock git push',
    'taskset 1 git push',
    'chroot image git push',
    'unshare -r git push',
    'parallel git push',
    'echo $(git push)',
    'echo "$(git push)"',
    'echo `git push`',
    'echo ${name:-$(git push)}',
    'cat <(git push)',
    'cat <<END\n$(git push)\nEND',
    'timeout 60 nice sudo env CI=1 git push',
    'docker run --rm image',
    'npm test && docker build .',
    'case "$1" in a) git push;; esac',
    'deploy() { git push; }',
    'git push > build/log.txt 2>&1',
  ],
};

describe('the verdict on a shell command', () => {
  test.each(VERDICTS.flatMap((verdict) => TABLE[verdict].map((command) => [verdict, command] as const)))(
    '%s: %s',
    (verdict, command) => {
      expect(verdictOn(command)).toBe(verdict);
    },
  );

  test('has a table of at least 120 commands', () => {
    expect(Object.values(TABLE).flat().length).toBeGreaterThanOrEqual(120);
  });

  test('of a very long command comes in time, and is ask at most if the command is not read to its end', () => {
    expect(verdictOn(Array.from({ length: 2000 }, () => 'npm test').join(' && '))).toBe('ask');
    expect(verdictOn('$('.repeat(5000))).toBe('ask');
    expect(verdictOn(`npm test ${'a '.repeat(20_000)}`)).toBe('allow');
  });
});

/** Ways to run a program with its arguments within another command. */
const PROGRAM_WRAPS: readonly ((command: string) => string)[] = [
  ...[
    'sudo',
    'sudo -u build',
    'env',
    'env CI=1',
    'timeout 60',
    'timeout -k 1 60',
    'timeout --odd 1',
    'nice',
    'nice -n 5',
  ],
  ...['nohup', 'time', 'time -p', 'xargs', 'xargs -n 1', 'command', 'exec', 'setsid', 'stdbuf -oL', 'ionice -c 3'],
  ...['gtimeout 5', 'gnice', 'unbuffer', 'setarch x86_64', 'toybox', 'fakeroot', 'valgrind -q', 'entr -r', 'fd . -x'],
  ...['env -i', 'xargs -I{}', 'doas', 'chroot /srv', 'parallel', 'strace -f'],
].map((words) => (command: string) => `${words} ${command}`);
/** Ways to run any command within another. */
const COMMAND_WRAPS: readonly ((command: string) => string)[] = [
  (command) => `sh -c '${command}'`,
  (command) => `bash -lc "${command}"`,
  (command) => `find . -exec ${command} \\;`,
  (command) => `find . -execdir sh -c '${command} {}' \\;`,
  (command) => `ls | xargs -I{} sh -c '${command} {}'`,
  (command) => `env -S '${command}'`,
  (command) => `env --split-string='CI=1 ${command}'`,
  (command) => `script -qc '${command}' /dev/null`,
  (command) => `flock build/lock -c '${command}'`,
  (command) => `eval '${command}'`,
  (command) => `trap -- '${command}' EXIT`,
  (command) => `echo \`${command}\``,
  (command) => `cat <(${command})`,
  (command) => `coproc ${command}`,
  (command) => `time ! ${command}`,
  (command) => `time { ${command}; }`,
  (command) => `time -p (${command})`,
  (command) => `function f { ${command}; }; f`,
  (command) => `f() { ${command}; }; f`,
  (command) => `for one in a b; do ${command}; done`,
  (command) => `bash <<'END'\n${command}\nEND`,
  (command) => `sudo sh -s <<END\n${command}\nEND`,
  (command) => `bash <<< '${command}'`,
  (command) => `cat <<END\n$(${command})\nEND`,
  (command) => `echo $(${command})`,
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `ls && ${command}`,
  (command) => `${command} || true`,
  (command) => `ls | ${command}`,
  (command) => `if ${command}; then true; fi`,
  (command) => `CI=1 ${command}`,
  (command) => `${command} 2>/dev/null`,
];
const SIMPLE = [
  'git status',
  'git push',
  'git push origin main',
  'npm test',
  'npm publish',
  'docker ps',
  'make',
  'ls -l',
];
const strictness = (verdict: Verdict): number => VERDICTS.indexOf(verdict);

test('a wrapper never weakens a verdict, and neither do several', () => {
  const inner = fc.array(fc.constantFrom(...PROGRAM_WRAPS), { maxLength: 4 });
  // Quotes do not nest, and `find` takes a program: one of these is enough.
  const outer = fc.option(fc.constantFrom(...COMMAND_WRAPS), { nil: undefined });
  fc.assert(
    fc.property(fc.constantFrom(...SIMPLE), inner, outer, inner, (command, within, around, before) => {
      const program = within.reduce((text, wrap) => wrap(text), command);
      const whole = around ? around(program) : program;
      const isProgram = /^(?:sh|bash|find) /.test(whole);
      const text = isProgram ? before.reduce((one, wrap) => wrap(one), whole) : whole;
      expect(strictness(verdictOn(text)), text).toBeGreaterThanOrEqual(strictness(verdictOn(command)));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  'cat list | sh',
  "bash <<< 'git push'",
  'su -c "git push"',
  'flock build/lock -c "git push"',
  'script -c "git push"',
  'bash -eo pipefail -c "git push"',
  'bash -ceuo pipefail "git push"',
  'bash -Ec "git push"',
  'bash -c -e "git push"',
  'bash -c -- "git push"',
  'sh -o errexit -c "git push"',
  'rbash -c "git push"',
  'fish -c "git push"',
  'pwsh -Command "git push"',
  String.raw`env -S 'git\_push'`,
  'eval -- "git push"',
  "source /dev/stdin <<< 'git push'",
  '. <(echo git push)',
  "bash /dev/stdin <<< 'git push'",
  "echo '; git push' | xargs -I X sh -c 'echo X'",
  "echo '; git push' | xargs -IX sh -c 'echo X'",
  "echo '; git push' | xargs --replace=X sh -c 'echo X'",
  "echo '; git push' | xargs -I '%%' bash -c 'echo %%'",
  'export PATH=/tmp/bin:$PATH; ls',
  "export GIT_SSH_COMMAND='git push' && git fetch",
  'declare -x LD_PRELOAD=/tmp/x.so; ls',
  'read PATH <<< /tmp/bin; ls',
  'for PATH in /tmp/bin; do ls; done',
  'printf -v PATH /tmp/bin; ls',
  "alias ls='git push'\nls",
  'sudo -u $WHO ls',
  'find . "$RUN" git push \\;',
  'RUSTC_WRAPPER=/tmp/x cargo build',
])('%s is not allowed by a rule for the whole tool either', (command) => {
  expect(verdictOn(command, [rule('allow Bash'), rule('deny Bash(git push *)')])).not.toBe('allow');
});

test.each(['printf "%s" PATH', 'read CI; echo $CI', 'bash build.sh', 'source build/env.sh', 'xargs -I X echo X'])(
  '%s is allowed by a rule for the whole tool',
  (command) => {
    expect(verdictOn(command, [rule('allow Bash'), rule('deny Bash(git push *)')])).toBe('allow');
  },
);

test('a rule that denies or asks never makes a verdict more lenient, unless it is the pinned or more specific one that wins', () => {
  const commands = VERDICTS.flatMap((verdict) => TABLE[verdict]);
  fc.assert(
    fc.property(
      fc.constantFrom(...commands),
      fc.constantFrom('git *', 'npm *', 'ls *', '*', 'echo *'),
      (command, pattern) => {
        const more = verdictOn(command, [...RULES, rule(`deny Bash(${pattern})`)]);
        expect(strictness(more)).toBeGreaterThanOrEqual(strictness(verdictOn(command)));
      },
    ),
    { numRuns: 300 },
  );
});

test('any text is read to an end, and one that is not understood is never allowed by a rule for some words', () => {
  const pieces = fc.constantFrom(
    "'",
    '"',
    '`',
    '$(',
    ')',
    '${',
    '}',
    '((',
    ';',
    '&&',
    '|',
    '\n',
    ' ',
    'git',
    'push',
    '\\',
    '<<E',
    '>',
    '#',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (words) => {
      const text = words.join('');
      const { isWhole } = readShell(text);
      const { verdict } = decide(
        [rule('allow Bash(* *)'), rule('allow Bash(*)'), rule('allow *')],
        'Bash',
        { command: text },
        AROUND,
      );
      if (!isWhole) expect(verdict).not.toBe('allow');
    }),
    { numRuns: 500 },
  );
});

describe('the rule that decides', () => {
  const on = (command: string, ...rules: ScopedRule[]) => {
    const { verdict, rule: by, beaten } = decide(rules, 'Bash', { command }, AROUND);
    return [verdict, by && `${by.scope} ${by.rule}`, beaten.map(({ scope, rule: text }) => `${scope} ${text}`)];
  };

  test('is the most specific one, whatever it says', () => {
    const rules = [
      rule('deny Bash'),
      rule('allow Bash(git *)'),
      rule('ask Bash(git push *)'),
      rule('allow Bash(git push origin)'),
    ];
    expect(on('ls', ...rules)).toEqual(['deny', 'session Bash', []]);
    expect(on('git status', ...rules)).toEqual(['allow', 'session Bash(git *)', ['session Bash']]);
    expect(on('git push', ...rules)[0]).toBe('ask');
    expect(on('git push origin', ...rules)).toEqual([
      'allow',
      'session Bash(git push origin)',
      ['session Bash', 'session Bash(git *)', 'session Bash(git push *)'],
    ]);
  });

  test('is at equal depth the strictest one: deny before ask before allow', () => {
    const [allow, ask, deny] = [rule('allow Bash(git *)'), rule('ask Bash(* push)'), rule('deny Bash(git * )')];
    expect(on('git push', allow, ask)[0]).toBe('ask');
    expect(on('git push', allow, ask, { ...deny, rule: 'Bash(git * *)' })[0]).toBe('deny');
    expect(on('git push', rule('allow Bash(git push *)', 'session'), rule('deny Bash(git push *)', 'project'))[0]).toBe(
      'deny',
    );
  });

  test('is one of a session or project rather than one of the manifest at equal depth, unless that is pinned', () => {
    const [manifest, session] = [rule('deny Bash(git push *)', 'manifest'), rule('allow Bash(git push *)')];
    expect(on('git push', manifest, session)).toEqual([
      'allow',
      'session Bash(git push *)',
      ['manifest Bash(git push *)'],
    ]);
    expect(on('git push', manifest, rule('allow Bash(git push *)', 'project'))[0]).toBe('allow');
    expect(on('git push', { ...manifest, pin: true }, session)).toEqual([
      'deny',
      'manifest Bash(git push *)',
      ['session Bash(git push *)'],
    ]);
    expect(
      on('git push origin', rule('deny Bash pinned', 'manifest'), rule('allow Bash(git push origin)', 'project'))[0],
    ).toBe('deny');
    expect(on('git push', rule('deny Bash(git push *)', 'manifest'), rule('allow Bash'))[0]).toBe('deny');
  });

  test('is of several pinned ones that of the most general scope', () => {
    const rules = [
      rule('allow Bash pinned', 'session'),
      rule('ask Bash pinned', 'project'),
      rule('deny Bash pinned', 'manifest'),
    ];
    expect(on('ls', ...rules)[0]).toBe('deny');
    expect(on('ls', ...rules.slice(0, 2))[0]).toBe('ask');
  });

  test('is named for a compound command with what the other parts say', () => {
    const { rule: by, parts, beaten } = decide(RULES, 'Bash', { command: 'npm test && git push' }, AROUND);
    expect(by).toEqual({ verdict: 'deny', rule: 'Bash(git push *)', scope: 'session', pin: false });
    expect(parts.map(({ part, verdict }) => [part, verdict])).toEqual([
      ['npm test', 'allow'],
      ['git push', 'deny'],
    ]);
    expect(beaten.map(({ rule: text }) => text)).toEqual(['Bash(npm test *)']);
  });

  test('is none if nothing is said of a tool: the verdict is ask', () => {
    expect(decide([], 'Bash', { command: 'ls' }, AROUND)).toMatchObject({ verdict: 'ask', rule: null, beaten: [] });
    expect(decide(RULES, 'mcp__github__create_issue', {}, AROUND)).toMatchObject({ verdict: 'ask', rule: null });
  });
});

describe('other tools', () => {
  const on = (tool: string, input: object | string, ...rules: string[]): Verdict =>
    decide(
      rules.map((text) => rule(text)),
      tool,
      input as never,
      AROUND,
    ).verdict;

  test.each([
    ['Edit', { file_path: 'src/a.ts' }, 'allow'],
    ['Write', { file_path: '/home/dev/acme/src/deep/a.ts' }, 'allow'],
    ['write_file', { absolute_path: '/home/dev/acme/src/a.ts' }, 'allow'],
    ['Edit', { file_path: 'src/../package.json' }, 'ask'],
    ['Edit', { file_path: '../other/src/a.ts' }, 'ask'],
    ['Edit', { file_path: '/etc/hosts' }, 'ask'],
    ['Edit', { file_path: 'src/.env' }, 'deny'],
    ['Edit', { file_path: '.env' }, 'deny'],
    ['Edit', {}, 'ask'],
    ['Read', { file_path: '~/notes.md' }, 'allow'],
    ['Read', { file_path: '~other/notes.md' }, 'ask'],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: src/a.ts\n*** End Patch' }, 'allow'],
    ['apply_patch', { input: '*** Update File: src/a.ts\n*** Add File: .env\n' }, 'deny'],
    ['WebFetch', { url: 'https://docs.example.com/a' }, 'allow'],
    ['WebFetch', { url: 'https://example.com/' }, 'ask'],
    ['mcp__github__list', {}, 'allow'],
    ['mcp__other__list', {}, 'ask'],
    ['shell', { command: ['bash', '-lc', 'npm test'] }, 'allow'],
    ['shell', { command: ['npm', 'test', 'a b'] }, 'allow'],
    ['run_shell_command', { command: 'npm test' }, 'allow'],
    ['Bash', { command: 5 }, 'ask'],
    ['Bash', 'npm test', 'allow'],
  ] as const)('%s %j: %s', (tool, input, verdict) => {
    const rules = ['allow Edit(src/**)', 'deny Edit(*.env)', 'allow Read(~/*.md)', 'allow WebFetch(https://docs.*)'];
    expect(on(tool, input, ...rules, 'allow mcp__github__*', 'allow Bash(npm test *)')).toBe(verdict);
  });

  test('an input that does not say what the tool is used for is ask at most, if a rule of a pattern may be about it', () => {
    expect(on('Edit', {}, 'allow Edit', 'deny Edit(*.env)')).toBe('ask');
    expect(on('Edit', {}, 'allow Edit')).toBe('allow');
  });
});

test.each([
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'src', true],
  ['src/*', 'src/a/b.ts', false],
  ['src/*.ts', 'src/a.ts', true],
  ['**/test/**', 'a/test/b', true],
  ['**/test/**', 'testing/b', false],
  ['*.md', 'docs/deep/a.md', true],
  ['/etc/**', '/etc/hosts', true],
  ['*.md', '/etc/a.md', false],
  ['a?c.ts', 'abc.ts', true],
  ['a+(b).ts', 'a+(b).ts', true],
])('the pattern %s and the path %s: %s', (pattern, path, covers) => {
  expect(coversPath(pattern, path, AROUND)).toBe(covers);
});

test.each([
  ['Bash(npm  test   *)', 'Bash(npm test *)'],
  ['shell(npm test *)', 'Bash(npm test *)'],
  ['Write(src/**)', 'Edit(src/**)'],
  ['Bash(*)', 'Bash'],
  ['mcp__a__*', 'mcp__a__*'],
  [' Bash ', 'Bash'],
])('the rule %s is kept as %s', (given, kept) => {
  const parts = ruleParts(given);
  expect(parts && ruleText(parts)).toBe(kept);
});

test.each(['', 'Bash(', 'Bash()', 'Bash(a', 'two words', 'Bash(a\u0007b)', `Bash(${'a'.repeat(300)})`])(
  '%j is no rule',
  (given) => {
    expect(ruleParts(given)).toBeNull();
  },
);
