/** Texts that are made of all of a catalog, kept in its folder until anything is taken in: each names what it was made of. */
import { renameSync } from 'node:fs';
import type { Repository } from '../history/store/repository.ts';
import { FILE_LIMIT, readIfThere } from '../platform/files.ts';
import { checksum } from './bytes/sections.ts';
import { isWriteFailure, lockIfPossible } from './lock.ts';
import { fileOf, readManifest, writeFile } from './store/files.ts';
import { encodeManifest } from './store/manifest.ts';

const nameOf = (name: string): string => `${name}.sums`;
const sumOf = (text: string): string => checksum(Buffer.from(text)).toString(16).padStart(8, '0');

/** Returns a text that was kept; null if there is none of this state of the catalog, or it is damaged. */
export function readDerived(repository: Repository, name: string, state: string): string | null {
  let content: string | undefined;
  try {
    content = readIfThere(fileOf(repository, nameOf(name)), FILE_LIMIT)?.toString('utf8');
  } catch {
    // It can be made again.
    return null;
  }
  if (content === undefined || !content.startsWith(state)) return null;
  const begin = state.length + 9;
  const text = content.slice(begin);
  return content.slice(state.length, begin) === `${sumOf(text)} ` ? text : null;
}

/** Keeps a text, if the catalog is in that state still, and can be written to without a wait. */
export function keepDerived(repository: Repository, name: string, state: string, text: string): void {
  const release = lockIfPossible(repository, 0);
  if (release === null) return;
  try {
    const found = readManifest(repository);
    if (!('manifest' in found) || encodeManifest(found.manifest) !== state) return;
    const temporary = fileOf(repository, `${nameOf(name)}.tmp`);
    writeFile(temporary, (write) => write(Buffer.from(`${state}${sumOf(text)} ${text}`)));
    renameSync(temporary, fileOf(repository, nameOf(name)));
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  } finally {
    release();
  }
}
