// Decides which module of a program lies in which of its parts: what a command has to load is most of the time that it takes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const ENTRIES = { main: 'src/cli/main.ts', hook: 'src/cli/hook-main.ts' };

/** The record of the modules that hot commands load, by program and part; `npm run parts:write` makes it. */
export const PARTS_FILE = join(import.meta.dirname, 'program-parts.json');

/** The part of modules that no recorded command loads, though a module of a hot one imports them. */
const RARE = 'rare';

/** Parts of commands that are recorded and not hot: those of their modules that no hot one imports lie where they are loaded. */
const WARM = new Set(['moves', 'reading', 'other']);

const AGENTS = join(SOURCES, 'agents');
const agentsWith = (file) => readdirSync(AGENTS).filter((agent) => existsSync(join(AGENTS, agent, file)));

/** The values of the agents: each loads what it imports when that is asked for, so that no part takes it with them. */
const AGENT_VALUES = new Set(agentsWith('index.ts').map((agent) => join(AGENTS, agent, 'index.ts')));

const shared = (names) => names.split(' ').map((name) => `agents/shared/${name}.ts`);
const fileOfEach = (file) => agentsWith(file).map((agent) => `agents/${agent}/${file}`);

/** Modules whose libraries take long to load, and that few texts need. */
const SELDOM_PARTS = { wide: { whole: ['cli/frame/wide.ts'] } };

/**
 * The parts of the agents: those that several of them read transcripts with, then for each of them what reads its hooks, and
 * what else it has; settings and places are asked of all agents together.
 */
const AGENT_PARTS = {
  conversation: { whole: shared('lines conversation turn own-words') },
  'plain-reader': { whole: shared('plain-reader') },
  'version-reader': { whole: shared('versions/reader') },
  ...Object.fromEntries(
    agentsWith('hook.ts').map((agent) => [`${agent}-hook`, { whole: [`agents/${agent}/hook.ts`] }]),
  ),
  'agent-reviews': { whole: fileOfEach('review.ts') },
  'agent-settings': { whole: fileOfEach('hooks.ts') },
  ...Object.fromEntries(agentsWith('index.ts').map((agent) => [agent, { behind: `agents/${agent}/index.ts` }])),
};

/**
 * Puts the modules that commands load into parts: each into the one that the fewest commands load, of those that all of its
 * commands may load. A module that another one needs while it is loaded is loaded by the same commands, so no two parts need
 * each other to begin with.
 * @param runs commands, each with its program, the parts that it may load, and the modules that it has loaded
 */
export function partsOf(runs) {
  const sorted = Object.keys(ENTRIES).map((program) => {
    const its = runs.filter((run) => run.program === program);
    const users = new Map();
    for (const run of its) for (const module of run.modules) users.set(module, [...(users.get(module) ?? []), run]);
    const loads = (part) => its.filter(({ parts }) => parts.includes(part)).length;
    const byLoads = [...new Set(its.flatMap(({ parts }) => parts))].sort((a, b) => loads(a) - loads(b));
    const partOf = (all) => byLoads.find((part) => all.every(({ parts }) => parts.includes(part)));
    const owned = [...users].map(([module, all]) => [partOf(all), module]).filter(([part]) => part !== RARE);
    const names = byLoads.filter((part) => part !== RARE).reverse();
    const modulesOf = (part) => owned.filter(([owner]) => owner === part).map(([, module]) => module);
    return [program, Object.fromEntries(names.map((part) => [part, modulesOf(part).sort()]))];
  });
  return Object.fromEntries(sorted);
}

/** By program, the part of each module in the record; a module that is gone since is none of the program. */
const RECORDED = Object.fromEntries(
  Object.entries(existsSync(PARTS_FILE) ? JSON.parse(readFileSync(PARTS_FILE, 'utf8')) : {}).map(([program, parts]) => [
    program,
    new Map(Object.entries(parts).flatMap(([part, modules]) => modules.map((module) => [module, part]))),
  ]),
);

/** Checks if the build loads a module on its own: not with the only module that imports it. Paths are from the root of the project. */
export function isLoadedAlone(path, importer) {
  if (AGENT_VALUES.has(join(ROOT, importer))) return true;
  const partIn = (parts, module) => parts.get(module) ?? RARE;
  return Object.values(RECORDED).some((parts) => partIn(parts, path) !== partIn(parts, importer));
}

/** Returns the modules that a module imports at once, directly or not, with itself. */
function eagerModules(entry, info) {
  const found = new Set([entry]);
  for (const id of found)
    if (!AGENT_VALUES.has(id)) for (const imported of info(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** Returns the part of each module: the recorded one; else `rare`, if a hot module imports it; else a part of agents. */
function ownersOf(program, info) {
  const recorded = [...(RECORDED[program] ?? [])].map(([path, part]) => [join(ROOT, path), part]);
  const known = recorded.filter(([id]) => info(id) !== null);
  const hot = [[join(ROOT, ENTRIES[program]), 'core'], ...known.filter(([, part]) => !WARM.has(part))];
  const near = new Set(hot.flatMap(([id]) => [...eagerModules(id, info)]));
  const owners = new Map([...known.filter(([id]) => near.has(id)), ...hot]);
  const give = (part, modules) => {
    for (const module of modules) if (!owners.has(module)) owners.set(module, part);
  };
  give(RARE, near);
  for (const [part, { whole = [], behind }] of Object.entries({ ...SELDOM_PARTS, ...AGENT_PARTS })) {
    for (const path of whole) give(part, eagerModules(join(SOURCES, path), info));
    for (const id of behind === undefined ? [] : info(join(SOURCES, behind)).importedIds)
      give(part, eagerModules(id, info));
  }
  return owners;
}

const groups = (debugName, name) => ({
  codeSplitting: { groups: [{ debugName, name, includeDependenciesRecursively: false }] },
});

/** The option of the bundler that puts each module into its part; those that are in none lie where they are loaded. */
export function inParts(program) {
  let owners;
  return groups('parts', (id, context) => {
    owners ??= ownersOf(program, (module) => context.getModuleInfo(module));
    return owners.get(id) ?? null;
  });
}

/** The option of the bundler that makes each module a part of its own. */
export const eachModule = () =>
  groups('modules', (id) => (id.startsWith('\0') ? null : relative(ROOT, id).replaceAll(/[\\/]/g, '~')));

/** Returns the module of a file that such a build has made. */
export function moduleOf(file) {
  const [, name] = /([^\\/]+)\.cjs$/.exec(file);
  return ENTRIES[name] ?? name.replaceAll('~', '/');
}
