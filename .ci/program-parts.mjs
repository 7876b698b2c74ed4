// Which module of a program lies in which of its parts: what a command has to load is most of the time that it takes.
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', 'src');

/** What modules import at once, directly or not. */
const eager = (...paths) => ({ paths, isWhole: true });
/** These modules and no more. */
const alone = (...paths) => ({ paths, isWhole: false });

/** Paths of modules below a folder. */
const below = (folder, names) => names.split(' ').map((name) => `${folder}/${name}.ts`);

/**
 * Parts of the command; the first that takes a module has it. They are few, since each costs more than a little text that is
 * not needed, and there is little in them that is not used.
 */
export const MAIN = {
  core: [eager('cli/main.ts', 'store/secret-key.ts')],
  observe: [eager('app/observe.ts')],
  steps: [eager('app/flush-waiting.ts', 'app/move.ts', 'app/deeds.ts')],
  messages: [eager('app/message.ts')],
};

/**
 * Those of the command that agents wait for; with most of them, it is Claude Code that does. All but the first are loaded when
 * something of them is asked for: `rare` holds modules of which no function runs at a plain prompt, tool or end of a turn, and
 * `steps` those of which none runs when a tool was used (found with the coverage of V8).
 */
export const HOOK = {
  core: [eager('cli/hook-main.ts', 'app/hook.ts', 'agents/claude-code/hook.ts')],
  rare: [
    alone(
      ...below(
        'core/redaction',
        'shape links assignment passwords pattern-reader linear bytes stream letters margin sign number checksum own-rule files',
      ),
      ...below('core', 'spellings forgotten stretches map-texts time compaction approval progress digest-lines choice'),
      ...below('store/forget', 'objects plan-file others survey subjects'),
      ...below('app', 'compact start waiting hook-context recover status kept-form rest hook-rest'),
      ...below(
        'store',
        'pack pack-index pack-faults unindexed operation secret-key current settle hook-errors checksum bulk canonical files-tree set-aside kind-of trust',
      ),
    ),
  ],
  steps: [
    alone(
      ...below('store', 'chain tree-editor reflog oplog ref-lock session-document unflushed places light record-lines'),
      ...below('core', 'zlib-stream tree session commit text step lines stored-stream stale'),
      ...below('platform', 'lock holder compression machine publish'),
      ...below('app', 'transcript-text source-file active transcript text source'),
    ),
    eager(
      ...below('app', 'flush-waiting move deeds hook-part hook-moves'),
      ...below('agents', 'shared/lines shared/conversation shared/turn claude-code/index'),
    ),
  ],
  'codex-hook': [eager('agents/codex/hook.ts')],
  messages: [eager('app/hook-prompt.ts')],
};

/** What a module imports at once, directly or not, with itself. */
function eagerModules(entry, info) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of info(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** The option of the bundler that puts each module into its part; those that are in none lie where they are loaded. */
export function inParts(parts) {
  const names = Object.keys(parts);
  /** By module, the part that has it. */
  let owners;
  const makeOwners = (info) => {
    const made = new Map();
    // What a part lists by name is its own, whoever comes first.
    for (const isWhole of [false, true]) {
      for (const part of names) {
        for (const { paths } of parts[part].filter((some) => some.isWhole === isWhole)) {
          const ids = paths.map((path) => join(SOURCES, path));
          for (const id of ids)
            if (!info(id)) throw new Error(`${part} names ${id}, which is no module of the program`);
          for (const id of isWhole ? ids.flatMap((entry) => [...eagerModules(entry, info)]) : ids)
            if (!made.has(id)) made.set(id, part);
        }
      }
    }
    return made;
  };
  const name = (id, context) => {
    owners ??= makeOwners((module) => context.getModuleInfo(module));
    return owners.get(id) ?? null;
  };
  return { codeSplitting: { groups: [{ debugName: 'parts', name, includeDependenciesRecursively: false }] } };
}
