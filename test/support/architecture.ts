// The rules of the floors, as a pure function from the text of every file to what is wrong with it.
import { parseSync, Visitor } from 'rolldown/utils';

/** A project: every source file by its path from the root, with `/` as separator. */
export type Sources = Readonly<Record<string, string>>;

/** One broken rule. */
export interface Violation {
  readonly path: string;
  readonly rule:
    | 'caption'
    | 'cycle'
    | 'door'
    | 'floor'
    | 'folder cycle'
    | 'import'
    | 'length'
    | 'package'
    | 'print'
    | 'purity'
    | 'sessions'
    | 'syntax';
  /** The offending text. */
  readonly found: string;
}

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const floors = [
  'bin',
  'index',
  'cli',
  'app',
  'catalog',
  'health',
  'history',
  'git',
  'agents',
  'language',
  'secrets',
  'platform',
  'core',
] as const;
type Floor = (typeof floors)[number];

/** Imports that a floor may make; a floor may always import itself, and the types of core. */
const mayImport: Record<Floor, readonly Floor[]> = {
  bin: ['cli'],
  index: ['app', 'agents', 'language', 'secrets', 'core'],
  cli: ['app', 'secrets', 'core'],
  app: ['catalog', 'health', 'history', 'git', 'platform', 'agents', 'language', 'secrets', 'core'],
  catalog: ['health', 'history', 'git', 'platform', 'secrets', 'core'],
  health: ['history', 'git', 'platform', 'secrets', 'core'],
  history: ['git', 'platform', 'secrets', 'core'],
  git: ['platform', 'core'],
  agents: ['language', 'secrets', 'core'],
  language: ['core'],
  secrets: ['core'],
  platform: ['core'],
  core: [],
};

/** Single files of a floor that more may import than the rest of it. */
const openDoors: Readonly<Record<string, readonly Floor[]>> = { 'src/platform/stdio.ts': ['cli'] };

/** The only files of these floors that files of other floors may import. */
const doors: Readonly<Partial<Record<Floor, readonly string[]>>> = {
  // The settings of a store are read by commands that search no text.
  secrets: ['src/secrets/index.ts', 'src/secrets/settings.ts'],
  // A reader of transcripts asks about questions, and classifies no message.
  language: ['src/language/index.ts', 'src/language/questions/question.ts'],
};

/** Floors that may use each package; one that is not listed may be used by none. */
const packages: Readonly<Record<string, readonly Floor[]>> = {
  'isomorphic-git': ['git', 'health'],
  commander: ['cli'],
  'chrono-node': ['cli'],
  'fastest-levenshtein': ['app', 'catalog', 'cli'],
  stemmer: ['catalog'],
  tokenx: ['app'],
  '@modelcontextprotocol/sdk': ['cli'],
  '@leeoniya/ufuzzy': ['cli'],
  'string-width': ['cli'],
  chalk: ['cli'],
  ora: ['cli'],
  zod: ['core', 'app', 'cli'],
  diff: ['core', 'app', 'cli'],
  fzstd: ['platform'],
  'jsonc-parser': ['core'],
  'smol-toml': ['agents'],
};

/** Names that only the rest of the program may touch. `Buffer` is not among them. */
const impureNames = new Set(
  `process performance require console globalThis crypto queueMicrotask setTimeout setInterval
   setImmediate clearTimeout clearInterval clearImmediate __dirname __filename`.split(/\s+/),
);

/** Floors that touch nothing of the machine. */
const pure: readonly Floor[] = ['core', 'language', 'secrets'];

const mayPrint = (path: string): boolean => floorOf(path) === 'cli' || path === 'src/platform/stdio.ts';

/** Names of refs that only floors above `git` know: they come in as `PointerNames`. */
const sessionNames = /\brefs\/(?:sessions|archive)\b|\b(?:sessionRef|archiveRef|isSessionId)\b/;

const longest = 400;

/** Lines from which a file may have a single importer: a shorter one belongs into that. */
const shortest = 40;

/** Files that list one file for each thing of a kind, however short it is. */
const tables = new Set([
  'src/agents/index.ts',
  'src/agents/starts.ts',
  'src/cli/table.ts',
  'src/core/commit-types/table.ts',
  'src/core/records/table.ts',
]);

function floorOf(path: string): Floor | undefined {
  if (path === 'src/index.ts') return 'index';
  const folder = path.startsWith('bin/') ? 'bin' : /^src\/([^/]+)\//.exec(path)?.[1];
  return floors.find((floor) => floor === folder);
}

/** The path a relative import means, as seen from the file that has it. */
function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Imports of one file, and its own violations. */
interface Facts {
  readonly imports: readonly Import[];
  readonly problems: readonly Omit<Violation, 'path'>[];
}

function read(path: string, text: string, pure: boolean, silent: boolean): Facts {
  const imports: Import[] = [];
  const problems: Omit<Violation, 'path'>[] = [];
  const report = (rule: Violation['rule'], found: string): void => void problems.push({ rule, found });
  const { program, errors } = parseSync(path, text);
  for (const error of errors) report('syntax', error.message);

  const impure = (found: string): void => (pure ? report('purity', found) : undefined);
  const source = (start: number, end: number): string => text.slice(start, end).replace(/\s+/g, '');
  /** Positions at which a name is only a label: `a.process`, `{ process: 1 }`. */
  const labels = new Set<number>();
  const isAsync = (node: { async?: boolean }): void => (node.async ? impure('async') : undefined);

  new Visitor({
    ImportDeclaration(node) {
      const named = node.specifiers;
      const typeOnly =
        node.importKind === 'type' ||
        (named.length > 0 && named.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type'));
      imports.push({ specifier: node.source.value, typeOnly, dynamic: false });
    },
    ExportAllDeclaration(node) {
      imports.push({ specifier: node.source.value, typeOnly: node.exportKind === 'type', dynamic: false });
    },
    ExportNamedDeclaration(node) {
      if (!node.source) return;
      const typeOnly = node.exportKind === 'type' || node.specifiers.every((one) => one.exportKind === 'type');
      imports.push({ specifier: node.source.value, typeOnly, dynamic: false });
    },
    TSImportType(node) {
      imports.push({ specifier: node.source.value, typeOnly: true, dynamic: false });
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') {
        imports.push({ specifier: node.source.value, typeOnly: false, dynamic: true });
      } else report('import', source(node.start, node.end));
      impure('import()');
    },
    CallExpression(node) {
      const { callee } = node;
      const [first] = node.arguments;
      if (callee.type === 'Identifier' && callee.name === 'require' && first?.type === 'Literal') {
        imports.push({ specifier: String(first.value), typeOnly: false, dynamic: true });
      }
      if (callee.type === 'Identifier' && callee.name === 'Date') impure('Date()');
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) {
        impure('new Date()');
      }
    },
    MemberExpression(node) {
      if (!node.computed) labels.add(node.property.start);
      const name = source(node.start, node.end);
      if (/^(Date\.now|Math\.random)$/.test(name)) impure(name);
      if (!silent && /^process\.(stdout|stderr)\.write$/.test(name)) report('print', name);
      if (!silent && node.object.type === 'Identifier' && node.object.name === 'console') report('print', name);
    },
    Property(node) {
      if (!node.computed && !node.shorthand) labels.add(node.key.start);
    },
    PropertyDefinition(node) {
      if (!node.computed) labels.add(node.key.start);
    },
    MethodDefinition(node) {
      if (!node.computed) labels.add(node.key.start);
    },
    TSPropertySignature(node) {
      if (!node.computed) labels.add(node.key.start);
    },
    TSMethodSignature(node) {
      if (!node.computed) labels.add(node.key.start);
    },
    Identifier(node) {
      if (impureNames.has(node.name) && !labels.has(node.start)) impure(node.name);
    },
    FunctionDeclaration: isAsync,
    FunctionExpression: isAsync,
    ArrowFunctionExpression: isAsync,
  }).visit(program);
  return { imports, problems };
}

/** The facts of texts that were read before: one look at the project serves every rule. */
const known = new Map<string, { text: string; facts: Facts }>();

function factsOf(path: string, text: string): Facts {
  const before = known.get(path);
  if (before?.text === text) return before.facts;
  const floor = floorOf(path);
  const facts = read(path, text, floor !== undefined && pure.includes(floor), floor === 'bin' || mayPrint(path));
  known.set(path, { text, facts });
  return facts;
}

const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

function checkImport(path: string, floor: Floor, found: Import, sources: Sources): Violation[] {
  const { specifier, typeOnly } = found;
  if (specifier.startsWith('node:')) return pure.includes(floor) ? [{ path, rule: 'purity', found: specifier }] : [];
  if (!specifier.startsWith('.')) {
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
    return packages[name]?.includes(floor) ? [] : [{ path, rule: 'package', found: specifier }];
  }
  const target = resolve(path, specifier);
  if (target === 'package.json') return [];
  const to = floorOf(target);
  if (!(target in sources) || !to) return [{ path, rule: 'import', found: specifier }];
  const allowed = to === floor || mayImport[floor].includes(to) || openDoors[target]?.includes(floor);
  if (!allowed && !(to === 'core' && typeOnly)) return [{ path, rule: 'floor', found: specifier }];
  const open = to === floor ? undefined : doors[to];
  return !open || open.includes(target) ? [] : [{ path, rule: 'door', found: specifier }];
}

/** Every ring of files that import each other, once, beginning with the file that comes first; `import()` does not count. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const rings = new Map<string, string[]>();
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const ring = trail.slice(start);
      const first = ring.indexOf([...ring].sort()[0] ?? path);
      const turned = [...ring.slice(first), ...ring.slice(0, first)];
      rings.set(turned.join(' > '), turned);
    }
    if (start >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of [...graph.keys()].sort()) walk(path, []);
  return [...rings.values()];
}

/** The folders that files import from, by the folder that these files lie in. */
function foldersOf(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const folders = new Map<string, string[]>();
  for (const [path, targets] of graph) {
    const from = folderOf(path);
    const others = targets.map(folderOf).filter((folder) => folder !== from);
    folders.set(from, [...(folders.get(from) ?? []), ...others]);
  }
  return folders;
}

/** Lists the folders of `bin/` and `src/`, each after those that it imports, with them; a ring of folders is left out. */
export function folderGraph(sources: Sources): [folder: string, imports: string[]][] {
  const files = Object.entries(sources).filter(([path]) => /^(bin|src)\//.test(path));
  const targets = files.map(([path, text]): [string, string[]] => {
    const { imports } = factsOf(path, text);
    const own = imports.filter(({ dynamic, specifier }) => !dynamic && specifier.startsWith('.'));
    return [path, own.map(({ specifier }) => resolve(path, specifier)).filter((target) => target in sources)];
  });
  const folders = foldersOf(new Map(targets));
  const listed = new Map<string, string[]>();
  for (let before = -1; before < listed.size; ) {
    before = listed.size;
    for (const [folder, all] of [...folders].sort()) {
      const imports = [...new Set(all)].sort();
      if (imports.every((one) => listed.has(one)) && !listed.has(folder)) listed.set(folder, imports);
    }
  }
  return [...listed];
}

/**
 * Returns the short files that belong into the only file that imports them: one of the same floor, which loads them at once and
 * has room for them.
 * @param loadedAlone checks if a file, imported by another one, is loaded on its own all the same
 */
export function smallFiles(
  sources: Sources,
  loadedAlone: (path: string, importer: string) => boolean = () => false,
): [path: string, importer: string][] {
  const importers = new Map<string, Set<string>>();
  for (const [path, text] of Object.entries(sources)) {
    for (const { specifier, dynamic } of factsOf(path, text).imports) {
      const target = resolve(path, specifier);
      // A file that is loaded on its own has a second importer: the moment when it is needed.
      const from = dynamic || loadedAlone(target, path) ? [path, 'later'] : [path];
      importers.set(target, new Set([...(importers.get(target) ?? []), ...from]));
    }
  }
  return [...importers].flatMap(([path, [importer = '', another]]): [string, string][] => {
    const [own, its] = [path, importer].map((one) => linesOf(sources[one] ?? '')) as [number, number];
    const belongs = path in sources && another === undefined && floorOf(importer) === floorOf(path);
    return belongs && own < shortest && own + its <= longest && !tables.has(importer) ? [[path, importer]] : [];
  });
}

/** Everything in `bin/` and `src/` that breaks a rule; other files are not looked at. */
export function checkArchitecture(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of Object.entries(sources)) {
    if (!/^(bin|src)\//.test(path)) continue;
    const lines = linesOf(text);
    if (lines > longest) violations.push({ path, rule: 'length', found: `${lines} lines` });
    if (!/^\/(\/|\*\*) \S/.test(text)) violations.push({ path, rule: 'caption', found: text.slice(0, 40) });
    const floor = floorOf(path);
    if (!floor) {
      violations.push({ path, rule: 'floor', found: 'a file of no floor' });
      continue;
    }
    const named = floor === 'git' ? sessionNames.exec(text)?.[0] : undefined;
    if (named !== undefined) violations.push({ path, rule: 'sessions', found: named });
    const { imports, problems } = factsOf(path, text);
    violations.push(...problems.map((problem) => ({ path, ...problem })));
    violations.push(...imports.flatMap((found) => checkImport(path, floor, found, sources)));
    const targets = imports.filter(({ dynamic, specifier }) => !dynamic && specifier.startsWith('.'));
    graph.set(
      path,
      targets.map(({ specifier }) => resolve(path, specifier)),
    );
  }
  for (const ring of cycles(foldersOf(graph)))
    violations.push({ path: ring[0] ?? '', rule: 'folder cycle', found: ring.join(' > ') });
  for (const ring of cycles(graph)) violations.push({ path: ring[0] ?? '', rule: 'cycle', found: ring.join(' > ') });
  return violations;
}
