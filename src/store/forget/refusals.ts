/** What a forgetting could not bring along: it is refused before anything begins, since what stands on it would be lost. */
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { quoted } from '../../core/text.ts';
import { byteFiles, forShell } from '../byte-names.ts';
import type { Layout } from '../layout.ts';

/** @throws {CtxError} unsupported_store, naming it, and what to do about it */
export function checkForgettable(layout: Layout): void {
  checkNames(layout);
}

/** Refs and reflogs whose names are no UTF-8: they cannot be asked for by such a name, nor written down in a plan. */
function checkNames(layout: Layout): void {
  for (const folder of ['refs', 'logs'])
    for (const { name } of byteFiles(layout, folder)) {
      if (name.endsWith('.lock')) continue;
      throw refuse(`the name of ${name} is no UTF-8, and it could not be brought along.`, hintForName(layout, name));
    }
}

function hintForName({ root }: Layout, name: string): string {
  const ref = name.replace(/^logs\//, '');
  const branch = ref.replace(/^refs\/heads\//, '');
  const git = `git --git-dir=${quoted(root)}`;
  const rename =
    branch === ref
      ? `${git} update-ref ${dirname(ref)}/<new-name> ${forShell(ref)} && ${git} update-ref -d ${forShell(ref)}`
      : `${git} branch -m ${forShell(branch)} <new-name>`;
  return `Give it another name: ${rename}. If Git knows of no such ref, move the file out of the store.`;
}

const refuse = (why: string, hint: string): CtxError =>
  new CtxError('unsupported_store', `Nothing was forgotten: ${why}`, { hint });
