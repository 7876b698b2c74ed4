/** Whether a plan can be carried out to its end: what cannot must not begin, for every later command would have to finish it. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { Layout } from '../../git/layout.ts';
import { loosePath } from '../../git/objects/loose.ts';
import { below } from '../../platform/below.ts';
import { exists } from '../../platform/files.ts';
import type { Plan } from './planned.ts';

/** @throws {CtxError} io, where something has to go, or to change, in a folder that cannot be written to */
export function checkWritable(layout: Layout, plan: Plan): void {
  for (const folder of foldersOf(layout, plan)) {
    if (!exists(folder)) continue;
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new CtxError('io', `Nothing was changed: ${folder} cannot be written to, and something in it has to go.`, {
        hint: `Make it writable, then run the command again: chmod u+rwx ${folder}`,
        cause,
      });
    }
  }
}

/** Every folder in which the plan puts or removes anything. */
function foldersOf(layout: Layout, plan: Plan): Set<string> {
  const refs = [...plan.refs.map(({ ref }) => ref), ...plan.ends.map(({ pointer }) => pointer)];
  const names = [...refs, ...plan.files, ...plan.remove, ...(plan.folders ?? [])];
  const folders = new Set(names.map((name) => dirname(below(layout.root, name))));
  for (const oid of plan.objects) {
    const path = loosePath(layout.objects, oid);
    if (exists(path)) folders.add(dirname(path));
  }
  if (plan.objects.length > 0) folders.add(layout.pack);
  if (plan.packed.length > 0) folders.add(layout.root);
  return folders;
}
