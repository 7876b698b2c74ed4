/** Maps the places in the stack of an error to the sources, by the source maps of the build, which are read only here. */
import { readFileSync } from 'node:fs';
import type * as Module from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { builtIn } from './built-in.ts';

/** The folder that has the output of the build. */
const BUILT = basename(import.meta.dirname) === 'dist' ? import.meta.dirname : dirname(import.meta.dirname);
/** A place in the output of the build. */
const PLACE = new RegExp(
  `(?:file://)?${(BUILT + sep).replaceAll(/[^\w/]/g, String.raw`\$&`)}([\\w/\\\\-]+\\.cjs):(\\d+):(\\d+)`,
  'g',
);

/** Reads the source map of a file; returns null if there is none. */
function sourceMap(file: string): Module.SourceMap | null {
  try {
    const { SourceMap } = builtIn('node:module') as typeof Module;
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as Module.SourceMapPayload);
  } catch {
    return null;
  }
}

/** Replaces the places of a stack in the output of the build by those in the sources, as in `src/app/move.ts:33:12`. */
export function withSourcePlaces(stack: string): string {
  const maps = new Map<string, Module.SourceMap | null>();
  return stack.replaceAll(PLACE, (place: string, name: string, line: string, column: string) => {
    const file = join(BUILT, name);
    if (!maps.has(file)) maps.set(file, sourceMap(file));
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = join(dirname(file), entry.originalSource).slice(dirname(BUILT).length + 1);
    return `${source.replaceAll(sep, '/')}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** Returns the first place of an error in ctx itself, as in `src/app/move.ts:33`; an empty text if there is none. */
export function sourcePlace(error: unknown): string {
  const stack = error instanceof Error ? withSourcePlaces(error.stack ?? '') : '';
  return /(?<=[\s(])(?:src|bin)\/\S+?\.ts:\d+/.exec(stack)?.[0] ?? '';
}

/** Makes the stack of an error, and of its causes, name the sources. */
export function nameSources(error: unknown): void {
  const seen = new Set<unknown>();
  for (let each = error; each instanceof Error && !seen.has(each); each = each.cause) {
    seen.add(each);
    try {
      each.stack = withSourcePlaces(each.stack ?? '');
    } catch {
      // It is frozen and keeps its places.
    }
  }
}
