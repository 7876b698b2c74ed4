// Which module of a program lies in which of its parts: what a command has to load is most of the time that it takes.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', 'src');

/** Paths of modules below a folder. */
const below = (folder, names) => names.split(' ').map((name) => `${folder}/${name}.ts`);

const AGENTS = join(SOURCES, 'agents');
const agentsWith = (file) => readdirSync(AGENTS).filter((agent) => existsSync(join(AGENTS, agent, file)));

/** The values of the agents: each loads what it imports when that is asked for, so that no part takes it with them. */
const AGENT_VALUES = new Set(agentsWith('index.ts').map((agent) => join(AGENTS, agent, 'index.ts')));

const fileOfEach = (file) => agentsWith(file).map((agent) => `agents/${agent}/${file}`);

/**
 * The parts of the agents: those that several of them read transcripts with, then for each of them what reads its hooks, and
 * what else it has; settings and places are asked of all agents together.
 */
const AGENT_PARTS = {
  conversation: { whole: below('agents/shared', 'lines conversation turn own-words') },
  'plain-reader': { whole: ['agents/shared/plain-reader.ts'] },
  'version-reader': { whole: ['agents/shared/versions/reader.ts'] },
  ...Object.fromEntries(
    agentsWith('hook.ts').map((agent) => [`${agent}-hook`, { whole: [`agents/${agent}/hook.ts`] }]),
  ),
  'agent-reviews': { whole: fileOfEach('review.ts') },
  'agent-settings': { whole: fileOfEach('hooks.ts') },
  ...Object.fromEntries(agentsWith('index.ts').map((agent) => [agent, { behind: `agents/${agent}/index.ts` }])),
};

/** Modules of which no function runs in what is called often. */
const RARE = [
  ...below(
    'secrets',
    'randomness passwords pattern-reader linear random-letters line-prefix plain-separator json-numbers checksum custom-rule whole-keys placeholders hashes',
  ),
  ...below('core', 'spellings forgotten stretches choice'),
  ...below('core/records', 'digest words'),
  'core/listing/short-id.ts',
  'app/session/pause.ts',
  'history/pointers/candidates.ts',
  ...below('core/commit-types', 'table normal abandoned stale-auto-compact interrupted-by-new-task type'),
  ...below('core/session', 'map-texts compaction progress'),
  'language/questions/approval.ts',
  ...below('history/operations', 'operation'),
  ...below('history/store', 'secret-key trust'),
  ...below('git/objects', 'bulk object-lookup'),
  'git/sync-store.ts',
  ...below('core', 'short-line picture-left-out text-end'),
  ...below('history/operations', 'operation-fold operation-files'),
  'history/store/pack-archive.ts',
  'platform/processes.ts',
  ...below('history/chain', 'canonical files-tree'),
  'git/refs/errors.ts',
  'git/set-aside.ts',
  ...below('history/forget', 'objects plan-file file-owner store-listing'),
  ...below('app/session', 'compact start waiting known-path'),
  ...below('platform', 'zstd xxhash'),
  '../node_modules/fzstd/esm/index.mjs',
];

/** What tells whether a ref that is packed is the last one: without it each look at such a store would load what makes steps. */
const REFLOG = 'git/refs/reflog.ts';

/** What reads a store that Git, or ctx itself, has packed. */
const PACKS = below('git/objects', 'pack pack-index pack-faults checksum delta pack-entry pack-names');

/** What a text asks for in which a keyword of some rule stands, as in half of all longer ones. */
const NAMED = below(
  'secrets',
  [
    'matcher rules rules-models rules-agents rules-platforms dense-names character-run rules-code rules-cloud rules-services rules-vendors rules-context rules-commands',
    'name-keywords assignment name-value-links enclosure code-expressions checks between-strings values wrapped-base64 private-key type-names partial-pattern line-context quotes',
  ].join(' '),
);

/** Modules that whatever makes a step needs, and nothing else that is called often. */
const STEPS = [
  'history/pointers/oplog.ts',
  'history/upkeep.ts',
  'git/refs/lock.ts',
  'history/pointers/places.ts',
  ...below('platform', 'lock holder machine publish'),
  'core/session/step.ts',
  'history/auto-pause.ts',
];

/** What saves the log of a run that was killed: only then is it asked for. */
const RUNS = [
  'history/settle-run.ts',
  ...below('history/runs', 'chunk-log run-status'),
  ...below('core/run', 'log reduce partial-json stored-part orphans chunk states'),
  ...below('core/conversation', 'acts window'),
];

/** What words a bug, and finds its place in the sources. */
const BUG = ['cli/bug.ts', 'app/uncaught.ts', 'platform/source-places.ts'];

/**
 * Parts of the command: the modules that each takes by name, and those it takes with all that they import at once. They are
 * few, since each costs more than a little text that is not needed, and there is little in them that is not used. All but the
 * first are loaded when something of them is asked for; what they take by name was found with the coverage of V8.
 */
export const MAIN = {
  core: {
    alone: ['core/lazily.ts', 'core/structure.ts', 'history/chain/record-payloads.ts', REFLOG],
    whole: ['cli/main.ts'],
  },
  rare: {
    alone: [
      ...RARE,
      'core/cut-json.ts',
      'core/session/hook-plan.ts',
      ...below('language/questions', 'question blocks requests-to-user'),
      ...below('secrets', 'secret-files search'),
    ],
  },
  bug: { alone: BUG },
  runs: { alone: RUNS },
  packs: { alone: PACKS },
  named: { alone: NAMED },
  observe: { whole: ['app/session/observe.ts'] },
  steps: { alone: STEPS, whole: below('app', 'session/flush-waiting session/move intake/message/deeds') },
  messages: { whole: ['app/intake/message/message.ts'] },
  ...AGENT_PARTS,
};

/** Those of the command that agents wait for; with most of them, it is Claude Code that does. */
export const HOOK = {
  core: {
    alone: [REFLOG],
    whole: ['cli/hook-main.ts', 'app/intake/hook/hook.ts', 'agents/claude-code/hook.ts'],
  },
  bug: { alone: BUG },
  runs: { alone: RUNS },
  packs: { alone: PACKS },
  named: { alone: NAMED },
  rare: {
    alone: [
      ...RARE,
      ...below('core/listing', 'title plain-sentence'),
      ...below('secrets', 'bytes stream multi-file-calls search-results metadata-only json-text withheld-marker diffs'),
      ...below('core', 'json-sketch cut-json command-output'),
      ...below('history/pointers', 'current'),
      ...below('history/store', 'hook-errors exclude'),
      ...below('git', 'byte-names'),
      ...below('history/pointers', 'lost-stage'),
      ...below('history/chain', 'ref-rollback'),
      ...below('history/pointers', 'session-location lost-session'),
      ...below('history/chain', 'whole-commit step-search'),
      'history/pointers/pointer-state.ts',
      ...below('git', 'gc-pid packing'),
      ...below('platform', 'program machine-errors foreign-file'),
      'agents/shared/streamed.ts',
      ...below('agents/shared/document', 'document scanner'),
      ...below('app', 'session/recover session/status unreadable redaction/forgotten-conversations'),
      ...below('app/intake/hook', 'context late-turns'),
      ...below('app/transcript', 'document-file line-preview'),
      ...below('app/intake', 'late-records'),
    ],
  },
  steps: {
    alone: [
      ...STEPS,
      ...below('history/chain', 'chain session-document unflushed record-payloads record-lines'),
      ...below('git/objects', 'tree-editor'),
      ...below('core', 'zlib-stream stored-stream tree session/session commit text lines stale time'),
      'secrets/secret-files.ts',
      ...below('app/session', 'active text'),
      ...below('app/transcript', 'text lines other-transcript source-file transcript source'),
      'platform/compression.ts',
      'agents/shared/lines.ts',
    ],
    whole: [
      ...below('app/session', 'flush-waiting move'),
      ...below('app/intake/message', 'deeds'),
      ...below('app/intake/hook', 'part moves'),
      ...below('agents', 'shared/lines shared/conversation shared/turn claude-code/reader claude-code/companion'),
    ],
  },
  messages: { whole: ['app/intake/hook/prompt.ts'] },
  ...AGENT_PARTS,
};

/** What a module imports at once, directly or not, with itself. */
function eagerModules(entry, info) {
  const found = new Set([entry]);
  for (const id of found)
    if (!AGENT_VALUES.has(id)) for (const imported of info(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** By module, the part that has it: whoever takes it by name, else the first that takes it with others. */
function ownersOf(parts, info) {
  const owners = new Map();
  const give = (part, paths, modulesOf) => {
    for (const id of paths.map((path) => join(SOURCES, path))) {
      if (!info(id)) throw new Error(`${part} names ${id}, which is no module of the program`);
      for (const module of modulesOf(id)) if (!owners.has(module)) owners.set(module, part);
    }
  };
  for (const [part, { alone = [] }] of Object.entries(parts)) give(part, alone, (id) => [id]);
  for (const [part, { whole = [], behind }] of Object.entries(parts)) {
    give(part, whole, (id) => eagerModules(id, info));
    const loadedLater = behind === undefined ? [] : info(join(SOURCES, behind)).importedIds;
    for (const id of loadedLater)
      for (const module of eagerModules(id, info)) if (!owners.has(module)) owners.set(module, part);
  }
  return owners;
}

/** The option of the bundler that puts each module into its part; those that are in none lie where they are loaded. */
export function inParts(parts) {
  let owners;
  const name = (id, context) => {
    owners ??= ownersOf(parts, (module) => context.getModuleInfo(module));
    return owners.get(id) ?? null;
  };
  return { codeSplitting: { groups: [{ debugName: 'parts', name, includeDependenciesRecursively: false }] } };
}
