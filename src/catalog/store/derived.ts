/** Files that are made of all of a catalog, kept in its folder until what they were made of changes: each names that. */
import { renameSync } from 'node:fs';
import type { Repository } from '../../history/store/repository.ts';
import { CatalogDamage, fileSource, Sections, SectionWriter } from '../bytes/sections.ts';
import { fileOf, readManifest, writeFile } from './files.ts';
import { isWriteFailure, lockIfPossible } from './lock.ts';
import { CATALOG_VERSION, encodeManifest } from './manifest.ts';

const nameOf = (name: string): string => `${name}.sums`;
const STATE = 'state';
const stateText = (state: string): string => `${CATALOG_VERSION} ${state}`;

/**
 * Answers by a file that was kept; null if there is none of this state, or it is damaged: it can be made again.
 * @param read closes none of the sections, and leaves none to be read later
 */
export function readDerived<T>(
  repository: Repository,
  name: string,
  state: string,
  read: (sections: Sections) => T,
): T | null {
  const derived = openDerived(repository, name, state);
  if (!derived) return null;
  try {
    return read(derived);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  } finally {
    derived.close();
  }
}

/** Opens a file that was kept, as `readDerived` does, for who reads of it later; the handle is closed with the process. */
export function openDerived(repository: Repository, name: string, state: string): Sections | null {
  try {
    const sections = new Sections(fileSource(fileOf(repository, nameOf(name))));
    if (sections.whole(STATE).toString('utf8') === stateText(state)) return sections;
    sections.close();
  } catch {
    // It can be made again.
  }
  return null;
}

const isDamage = (error: unknown): boolean =>
  error instanceof CatalogDamage || error instanceof RangeError || error instanceof SyntaxError;

/** Source of a file that is kept. */
export interface MadeOf {
  /** The text of the manifest of the catalog. */
  manifest: string;
  /** State of everything else that the file was made of, as a text: then, and now. */
  state: string;
  now: () => string;
}

/**
 * Keeps a file, if it can be written without a wait, and what it was made of is still there: what a forgetting has removed meanwhile
 * stays out.
 */
export function keepDerived(
  repository: Repository,
  name: string,
  { manifest, state, now }: MadeOf,
  fill: (writer: SectionWriter) => void,
): void {
  const release = lockIfPossible(repository, 0);
  if (release === null) return;
  try {
    const found = readManifest(repository);
    if (!('manifest' in found) || encodeManifest(found.manifest) !== manifest || now() !== state) return;
    const temporary = fileOf(repository, `${nameOf(name)}.tmp`);
    writeFile(temporary, (write) => {
      const writer = new SectionWriter(write);
      writer.add(STATE, Buffer.from(stateText(state)));
      fill(writer);
      writer.end();
    });
    renameSync(temporary, fileOf(repository, nameOf(name)));
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  } finally {
    release();
  }
}
