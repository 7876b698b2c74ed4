// Counts the words that the project no longer uses, and fails when an area has more of them than its baseline allows, or
// when a comment begins with a question word.
//
//   node .ci/words.mjs            compares the counts with .ci/words.json
//   node .ci/words.mjs --list     prints every place, one a line, as file:line
//   node .ci/words.mjs --write    lowers the baseline to the counts of today
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { texts } from './texts.mjs';

/** The words, each with the way it is written in a report. */
const WORDS = [
  ['tell', /\b(?:un|fore)?(?:tell|tells|telling|told)\b/gi],
  ['stand', /\b(?:stand|stands|standing|stood)\b/gi],
  ['whoever', /\bwhoever\b/gi],
  ['anew', /\banew\b/gi],
  ['go on', /\b(?:go|goes|going|gone|went) on\b(?! (?:disk|top|stdout|stderr|stdin)\b)/gi],
  ['mend', /\bmend(?:s|ed|ing)?\b/gi],
  ['what goes', /\bwhat goes\b/gi],
  ['leave it away', /\b(?:leave|leaves|leaving|left) (?:it |them |that |this )?away\b/gi],
];

/** "where" that means "if": behind a comma or a value that is the answer otherwise, and before what is there or is not. */
const CONDITIONS = [
  /[,;(] (?:and |or |but |only |even )?where\b(?! (?:to|from)\b)/gi,
  /\b(?:null|undefined|absent|none|nothing|empty|true|false|unset|zero|only|except|also|even) where\b/gi,
  /(?<!\b(?:say|says|show|shows|know|knows|name|names|find|finds|see|of|from|to|is|and|or) )\bwhere (?:there (?:is|are|was|were)|absent|no|nothing|none|neither|possible|needed|asked|given|known|it (?:can|has|does)|they (?:can|have|do|are))\b/gi,
];

/** The first word of a caption that describes a question, and not the thing itself: "What a session holds" for "Contents of a session". */
const QUESTION = /^ *(?:\/\*\*|\/\/|\*) (What|Whether|How|Which|Who|Where)\b/;

const AREAS = ['captions', 'help and errors', 'docs', 'rest'];

/** Files whose strings are words that users write and the program reads. */
const LANGUAGE = /^src\/(?:language\/|secrets\/|core\/choice)/;

/** Files whose strings are programs that agents load: no user reads those, but their comments count with the rest. */
const PROGRAMS = /^src\/agents\/(?:opencode\/plugin|pi\/extension|shared\/own-file)/;

/** Strings that are part of what a store holds: another wording would be another record. */
const STORED = [/^told after a kill$/, /a piece of what is told whole\]$/, /^Shall I go on with (?:this|the) plan\?/];

/** A sentence may be broken over lines at any of its spaces. */
const overLines = (pattern) => new RegExp(pattern.source.replaceAll(' ', '\\s+'), pattern.flags);
for (const row of WORDS) row[1] = overLines(row[1]);
const IFS = CONDITIONS.map(overLines);

/** Returns every place of a text, as `{ word, at }`; two patterns for one word count a place once. */
function placesIn(text) {
  const found = WORDS.flatMap(([word, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ word, at: index })),
  );
  const conditions = new Set(
    IFS.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: match }) => index + match.toLowerCase().indexOf('where')),
    ),
  );
  return [...found, ...[...conditions].map((at) => ({ word: 'where', at }))];
}

/** Returns the area of one text of a source file, or null if no reader of the project sees it as prose. */
function areaOf(path, { kind, text }) {
  if (path.startsWith('test/')) return kind === 'test name' ? 'rest' : null;
  if (kind === 'caption') return 'captions';
  if (kind === 'comment') return 'rest';
  // A string without a space is a name: of a field, a kind, or a file.
  if (!text.trim().includes(' ') || LANGUAGE.test(path) || STORED.some((stored) => stored.test(text))) return null;
  return PROGRAMS.test(path) ? 'rest' : 'help and errors';
}

/** Returns the prose of a file: `{ area, text, line }` for each text in it. */
function proseOf(path, source) {
  if (path.endsWith('.ts')) return texts(source).map((text) => ({ ...text, area: areaOf(path, text) }));
  // Names in backquotes are names, in a document as in a source file.
  const text = source.replace(/(?<!`)`[^`\n]+`(?!`)/g, (name) => '`'.padEnd(name.length, '_'));
  return [{ area: path === 'CHANGELOG.md' ? 'rest' : 'docs', text, line: 1 }];
}

/** Returns every place of a file, as `{ area, word, line }`. */
export function placesOf(path, source) {
  return proseOf(path, source)
    .filter(({ area }) => area !== null)
    .flatMap(({ area, text, line }) =>
      placesIn(text).map(({ word, at }) => ({ area, word, line: line + text.slice(0, at).split('\n').length - 1 })),
    );
}

/** Returns the comments of a source that begin with a question word, as `{ word, line }`: none is allowed, in any area. */
export function questionsIn(source) {
  return source.split('\n').flatMap((text, index) => {
    const word = QUESTION.exec(text)?.[1];
    return word === undefined ? [] : [{ word, line: index + 1 }];
  });
}

/** Folders whose sources have comments. */
const SOURCES = ['.ci', 'bench', 'bin', 'fixtures', 'src', 'test'];

/** Returns the paths below a folder whose names match, with `/` on every system. */
const below = (root, folder, pattern) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path));

/** Returns the paths of the files that are read, sorted. */
function pathsOf(root) {
  const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'].filter((path) => existsSync(join(root, path)));
  return [
    ...documents,
    ...below(root, 'docs', /\.md$/),
    ...below(root, 'src', /\.(?:ts|md)$/),
    ...below(root, 'test', /\.test\.ts$/),
  ].sort();
}

/** Counts the places of each area by file. */
function countsOf(places) {
  const counts = Object.fromEntries(AREAS.map((area) => [area, {}]));
  for (const { area, path } of places) counts[area][path] = (counts[area][path] ?? 0) + 1;
  return counts;
}

const sum = (files = {}) => Object.values(files).reduce((total, count) => total + count, 0);

/** Compares two counts; an area as a whole decides, so that a text may move from one file to another. */
export function compare(baseline, counts) {
  return AREAS.map((area) => {
    const [allowed, now] = [sum(baseline[area]), sum(counts[area])];
    const risen = Object.entries(counts[area]).filter(([path, count]) => count > (baseline[area]?.[path] ?? 0));
    return { area, allowed, now, files: now > allowed ? risen.map(([path]) => path) : [] };
  });
}

/** Runs the check on a folder; returns its exit code. */
export function run(root, args, print) {
  const file = join(root, '.ci/words.json');
  const places = pathsOf(root).flatMap((path) =>
    placesOf(path, readFileSync(join(root, path), 'utf8')).map((place) => ({ ...place, path })),
  );
  if (args.includes('--list')) {
    for (const { area, path, line, word } of places) print(`${path}:${line}: ${word} (${area})`);
    return 0;
  }
  const questions = SOURCES.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => below(root, folder, /\.[cm]?[jt]s$/))
    .flatMap((path) => questionsIn(readFileSync(join(root, path), 'utf8')).map((place) => ({ ...place, path })));
  for (const { path, line, word } of questions) print(`${path}:${line}: a comment begins with "${word}"`);
  if (questions.length > 0) {
    print('words: begin it with a verb ("Reads …", "Checks if …") or with a noun ("Number of …")');
    return 1;
  }
  const counts = countsOf(places);
  const first = !existsSync(file);
  const compared = compare(first ? counts : JSON.parse(readFileSync(file, 'utf8')), counts);
  const risen = compared.filter(({ now, allowed }) => now > allowed);
  for (const { area, now, allowed, files } of risen) {
    print(`words: ${area}: ${now} places, ${allowed} allowed`);
    for (const place of places.filter(({ area: of, path }) => of === area && files.includes(path)))
      print(`  ${place.path}:${place.line}: ${place.word}`);
  }
  if (risen.length > 0) {
    print('words: write it with another word ("says" for "tells", "if" for "where"); the list is in .ci/words.mjs');
    return 1;
  }
  if (args.includes('--write')) writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`);
  else if (compared.some(({ now, allowed }) => now < allowed))
    print('words: fewer than the baseline allows; lower it with `node .ci/words.mjs --write`');
  return 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = run(join(import.meta.dirname, '..'), process.argv.slice(2), console.log);
