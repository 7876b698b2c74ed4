/** `ctx permission`. */
import { resolve } from 'node:path';
import { type CheckResult, checkPermission } from '../../app/permission/check.ts';
import {
  type ChangedScope,
  listRules,
  type ResetResult,
  type RuleList,
  type RuleResult,
  resetRules,
  setRule,
} from '../../app/permission/rules.ts';
import { wholeText } from '../../app/session/text.ts';
import { CtxError } from '../../core/errors.ts';
import { type JsonValue, parseJson } from '../../core/json.ts';
import type { ShownRule } from '../../core/permission/decide.ts';
import type { ScopedRule, Verdict } from '../../core/permission/rule.ts';
import { oneLine, plural } from '../../core/text.ts';
import { type App, type ArgumentSpec, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import type { Schemas } from '../frame/schema.ts';
import type { Theme } from '../frame/theme.ts';

interface ScopeInput {
  session?: boolean | undefined;
  project?: boolean | undefined;
}

const RULE: ArgumentSpec = {
  name: 'rule',
  description: "a tool, and what it is used for: Bash(git push *), Edit(src/**), mcp__github__*; '*' is any tool",
};
const SCOPES: readonly OptionSpec[] = [
  { flags: '--session', description: 'for the active session alone (default)' },
  { flags: '--project', description: 'for every session of this project, in .ctx/permissions.json' },
];
const MANIFEST: OptionSpec = {
  flags: '--manifest <file>',
  description: "the rules of the agent's author",
  completes: 'files',
};
const EXITS = [
  [1, 'no session is active, or the rules of the project cannot be read'],
  [4, 'another command works on the store'],
  [5, 'the store is damaged'],
] as const;

const ONE_SCOPE = 'give --session or --project, not both';
const isOneScope = ({ session, project }: ScopeInput): boolean => !(session && project);
const scopeOf = ({ project }: ScopeInput): ChangedScope => (project ? 'project' : 'session');

const COLOURS: Readonly<Record<Verdict, keyof Theme>> = { allow: 'good', ask: 'warn', deny: 'bad' };
const coloured = (verdict: Verdict, theme: Theme): string =>
  (theme[COLOURS[verdict]] as (text: string) => string)(verdict);

const PLACES = { manifest: 'manifest', project: 'project', session: 'session' } as const;
const ruleLine = ({ verdict, rule, scope, pin }: ScopedRule | ShownRule, theme: Theme): string =>
  `${coloured(verdict, theme)} ${theme.accent(oneLine(rule, 300))} (${PLACES[scope]}${pin ? ', pinned' : ''})`;

const DOES: Readonly<Record<Verdict, readonly [summary: string, example: string, what: string]>> = {
  allow: [
    'let an agent do something without a question',
    "'Bash(npm test *)'",
    'in this session, also with more arguments',
  ],
  ask: [
    'have an agent ask before it does something',
    "'Bash(git push *)' --project",
    'in every session of this project',
  ],
  deny: ['refuse something to an agent', "'Edit(*.env)' --project --pin", 'whatever a session allows'],
};

interface SetInput extends ScopeInput {
  rule: string;
  pin?: boolean | undefined;
}

const setCommand = (verdict: Verdict): Command => {
  const [summary, example, what] = DOES[verdict];
  return defineCommand<SetInput, RuleResult>({
    name: `permission ${verdict}`,
    summary,
    arguments: [RULE],
    options: [...SCOPES, { flags: '--pin', description: 'no rule of another scope overrides it that is not pinned' }],
    examples: [[`ctx permission ${verdict} ${example}`, what]],
    exits: EXITS,
    mutates: true,
    input: (z) =>
      z
        .object({
          rule: z.string(),
          session: z.optional(z.boolean()),
          project: z.optional(z.boolean()),
          pin: z.optional(z.boolean()),
        })
        .check(z.refine(isOneScope, ONE_SCOPE)),
    run: (app, input) => setRule(app.repository(), verdict, input.rule, { scope: scopeOf(input), pin: input.pin }),
    render: (result, theme) => {
      const before = result.previous === null || result.previous === verdict ? '' : `; before: ${result.previous}`;
      return `${ruleLine(result, theme)}${before}\n`;
    },
    hints: ({ counts }) => (counts ? [] : ['It does not count before the store is trusted: ctx init --trust']),
  });
};

const resetCommand = defineCommand<ScopeInput & { rule?: string | undefined }, ResetResult>({
  name: 'permission reset',
  summary: 'take rules back',
  arguments: [{ ...RULE, description: 'the rule; all of the scope if absent', optional: true }],
  options: SCOPES,
  examples: [
    ["ctx permission reset 'Bash(npm test *)'", 'one rule of the session'],
    ['ctx permission reset --project', 'every rule of the project'],
  ],
  exits: [[1, 'there is no such rule, or no session is active'], EXITS[1], EXITS[2]],
  mutates: true,
  input: (z) =>
    z
      .object({ rule: z.optional(z.string()), session: z.optional(z.boolean()), project: z.optional(z.boolean()) })
      .check(z.refine(isOneScope, ONE_SCOPE)),
  run: (app, input) => resetRules(app.repository(), input.rule ?? null, scopeOf(input)),
  render: ({ removed, scope }, theme) =>
    removed.length === 0
      ? 'There is no rule to take back.\n'
      : `Taken back: ${removed.map((rule) => ruleLine({ ...rule, scope }, theme)).join(', ')}\n`,
});

const manifestOf = (app: App, file: string | undefined): string | undefined =>
  file === undefined ? undefined : resolve(app.directory, file);

const ruleLines = ({ rules, ignored }: RuleList, theme: Theme): string => {
  const lines = rules.map((rule) => `${ruleLine(rule, theme)}\n`);
  const others = ignored.map((rule) => `${theme.faint('ignored:')} ${ruleLine(rule, theme)}\n`);
  return [...lines, ...others].join('') || 'There are no rules: every use of a tool is asked for.\n';
};

const UNTRUSTED = 'What the project allows does not count: its store is not trusted. Trust it with: ctx init --trust';

const listCommand = defineCommand<{ manifest?: string | undefined }, RuleList>({
  name: 'permission list',
  summary: 'list the rules that count here',
  options: [MANIFEST],
  examples: [['ctx permission list', 'the rules of the project and of the active session']],
  exits: [[1, 'a file of rules cannot be read'], EXITS[2]],
  mutates: false,
  input: (z) => z.object({ manifest: z.optional(z.string()) }),
  run: (app, { manifest }) => listRules(app.repository(), { manifest: manifestOf(app, manifest) }),
  render: ruleLines,
  hints: ({ ignored }) => (ignored.length > 0 ? [UNTRUSTED] : []),
});

interface CheckInput {
  tool: string;
  input?: string | undefined;
  manifest?: string | undefined;
}

function inputOf(app: App, given: string | undefined): JsonValue {
  if (given === undefined) return {};
  const text = wholeText(app.text(given), 'The input');
  try {
    return parseJson(text);
  } catch {
    throw new CtxError('usage', 'The input of the tool is no JSON.', {
      hint: `As in: ctx permission check Bash --input '{"command":"npm test"}'`,
    });
  }
}

function renderCheck({ verdict, rule, beaten, parts, because, ignored }: CheckResult, theme: Theme): string {
  const several = parts.length > 1 ? parts : [];
  const lines = [
    rule ? ruleLine(rule, theme) : `${coloured(verdict, theme)}: ${because ?? 'no rule is about it'}`,
    ...several.map(
      (part) =>
        `  ${oneLine(part.part, 100)}: ${part.rule ? ruleLine(part.rule, theme) : `${coloured(part.verdict, theme)}, no rule`}`,
    ),
    ...beaten.map((one) => `  beaten: ${ruleLine(one, theme)}`),
    ...(ignored.length > 0 ? [`  ${plural(ignored.length, 'rule')} ignored: the store is not trusted`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const checkCommand = defineCommand<CheckInput, CheckResult>({
  name: 'permission check',
  summary: 'say what the rules say to one use of a tool, and why; any verdict is exit code 0',
  arguments: [{ name: 'tool', description: 'the tool: Bash, Edit, Read, WebFetch, or any other name' }],
  options: [
    { flags: '--input <json>', description: 'what the agent passes to the tool (- reads standard input)' },
    MANIFEST,
  ],
  examples: [
    [`ctx permission check Bash --input '{"command":"npm test && git push"}'`, 'the strictest part decides'],
    [`ctx permission check Edit --input '{"file_path":"src/a.ts"}' --json`, 'with every rule that was beaten'],
  ],
  exits: [[1, 'a file of rules cannot be read'], EXITS[2]],
  mutates: false,
  input: (z: Schemas) =>
    z.object({
      tool: z.string().check(z.minLength(1)),
      input: z.optional(z.string()),
      manifest: z.optional(z.string()),
    }),
  run: (app, { tool, input, manifest }) =>
    checkPermission(app.repository(), tool, inputOf(app, input), {
      manifest: manifestOf(app, manifest),
      directory: app.directory,
      home: app.environment['HOME'],
    }),
  render: renderCheck,
});

export const permissionCommands: readonly Command[] = [
  setCommand('allow'),
  setCommand('ask'),
  setCommand('deny'),
  listCommand,
  resetCommand,
  checkCommand,
];
