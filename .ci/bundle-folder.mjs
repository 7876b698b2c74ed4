// Puts beside the code what a bundle needs: no leftovers of an earlier build, a runnable entry, and the licences of what is inside.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { EditedCode } from './edited-code.mjs';

/** Folders of every package that any bundle of this run contains. */
const packageFolders = new Set();

/** The folder of the package a module belongs to, or nothing for a module of ours. */
function packageFolder(moduleId) {
  return /^(?<folder>[^\0].*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(moduleId)?.groups?.folder;
}

/** Name, version and licence text of one package. */
function licence(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0) texts.push(`${license}, ${author?.name ?? author ?? `the authors of ${name}`}`);
  return { title: `${name} ${version} (${license})`, text: texts.join('\n\n') };
}

function licences() {
  const all = [...packageFolders].map(licence).sort((a, b) => (a.title < b.title ? -1 : 1));
  const rule = '-'.repeat(80);
  const parts = all.map(({ title, text }) => `${rule}\n${title}\n\n${text}\n`);
  return `ctx contains code of these packages.\n\n${[...new Set(parts)].join('\n')}`;
}

/** Code with nothing but ASCII in it: one byte a character, for V8 too. Comments are gone, so all else stands in literals. */
function toAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Wraps a module as Node itself does: done here, a start need not copy the text for it. */
const wrap = (code) =>
  code.edit([
    { at: 0, text: '(function (exports, require, module, __filename, __dirname) {' },
    { at: code.code.length, text: '\n})' },
  ]);

/**
 * Texts that V8 takes for large, so that no collection copies them: most processes then end before the first one. Its own
 * rule for objects on the heap: more than half a page of 256 KiB.
 */
const LARGE = 128 * 1024 + 64;
/** Smaller ones are not worth the bytes. */
const NEARLY_LARGE = LARGE / 2;
const padded = (code) => (code.length < NEARLY_LARGE ? code : code.padEnd(LARGE));
const sumOf = (texts) => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, 16);
};
/** Ends a part with its sum, which distinguishes one build of the part from another: what V8 has compiled is kept under that. */
const summed = (code) => `${code}//${sumOf([code])}`;

/** Before that stands what tells the build of the whole program: `bin/ctx.ts` puts no parts of two together. */
function signParts(chunks) {
  const build = sumOf(chunks.map(({ code }) => code).sort());
  for (const chunk of chunks) chunk.code = summed(`${chunk.code}//${build}`);
}

/** A name that is offered is what it is from the end of the chunk on: to ask a function for it each time costs more. */
const toPlainExports = (code) =>
  code.replace(
    /Object\.defineProperty\(exports,(["`])([\w$]+)\1,\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g,
    (_text, _quote, name, value) => `exports.${name}=${value}`,
  );

const RUNTIME = 'rolldown-runtime.cjs';

/**
 * A part that another one refers to is loaded when something of it is asked for: `bin/ctx.ts` gives what stands for it, and
 * then the part itself.
 */
function loadLater(code) {
  const reference = /([\w$]+) ?= ?require\("(\.[^"]+)"\)/g;
  code.replace(/(?<=^|[;\n])const ([^;]*= ?require\("\.[^;]*)/g, (_, declared) => {
    const later = declared.replace(reference, (text, name, path) =>
      path.endsWith(RUNTIME) ? text : `${name}=require("${path}",part_=>${name}=part_)`,
    );
    return `let ${later}`;
  });
  const left = [...code.code.matchAll(reference)].find(([, , path]) => !path.endsWith(RUNTIME));
  if (left) throw new Error(`${left[0]} would load the part at once`);
  return code;
}

/** Replaces the map of a chunk by one that fits its code as it is now, with paths below the project; gives the code. */
function finished(edited, chunk, bundle) {
  // Nothing is left of its modules: the chunk has no map.
  if (chunk.map === null) return edited.code;
  const asset = bundle[`${chunk.fileName}.map`];
  const { version, file, names, sources, sourcesContent } = chunk.map;
  // A map beside a program has no copy of it: it says the place alone.
  const contents = chunk.code.includes('sourceMappingURL=') ? { sourcesContent } : {};
  asset.source = JSON.stringify({ version, file, names, sources, ...contents, mappings: edited.mappings });
  return edited.code;
}

/** The bundler's own helpers, a kilobyte that most chunks need: inside of each they cost no file of their own. */
function putHelpersInto(code, helpers) {
  return code.replace(
    /require\("\.\/(?:\w+\/)?rolldown-runtime\.cjs"\)/,
    () => `(()=>{let exports={};${helpers}return exports})()`,
  );
}

/**
 * Looks after `chunks/` in the output folder `dist`, and refuses a bundle whose entry loads another chunk at once: the parts
 * of a program are loaded when something of them is asked for.
 * @param isParts whether `bin/ctx.ts` loads what is made: each file is one function then, and loaded when it is needed
 */
export function bundleFolder(dist, chunks, isParts = false) {
  return {
    name: 'bundle-folder',
    generateBundle(_options, bundle) {
      const runtime = `${chunks}/${RUNTIME}`;
      const helpers = bundle[runtime]?.code;
      if (isParts) {
        delete bundle[runtime];
        delete bundle[`${runtime}.map`];
      }
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const code = new EditedCode(chunk.code, chunk.map);
        if (isParts) wrap(toAscii(toPlainExports(putHelpersInto(loadLater(code), helpers))));
        else toAscii(code);
        const made = finished(code, chunk, bundle);
        chunk.code = isParts ? padded(made) : made;
        const eager = chunk.imports.filter((name) => name in bundle);
        const more = eager.filter((name) => name !== runtime);
        if (!isParts && chunk.isEntry && more.length > 0)
          this.error(`${chunk.fileName} may load no other chunk, but requires ${more.join(', ')}`);
        const foreign = [...chunk.imports, ...chunk.dynamicImports].filter(
          (name) => !(name in bundle) && name !== runtime && !isBuiltin(name),
        );
        if (foreign.length > 0) this.error(`${chunk.fileName} would need packages at run time: ${foreign.join(', ')}`);
        for (const id of chunk.moduleIds) {
          const folder = packageFolder(id);
          if (folder) packageFolders.add(folder);
        }
      }
      if (isParts) signParts(Object.values(bundle).filter(({ type }) => type === 'chunk'));
    },
    writeBundle(_options, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.code?.startsWith('#!')) chmodSync(join(dist, chunk.fileName), 0o755);
      const folder = join(dist, chunks);
      const stale = existsSync(folder) ? readdirSync(folder).filter((file) => !(`${chunks}/${file}` in bundle)) : [];
      for (const file of stale) rmSync(join(folder, file), { recursive: true });
      writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences());
      // The library is CommonJS, so its declarations must be read as such.
      mkdirSync(join(dist, 'types'), { recursive: true });
      writeFileSync(join(dist, 'types', 'package.json'), '{ "type": "commonjs" }\n');
    },
  };
}
