/** Patches in the form of Codex, which other agents have taken over: the files that they add, change, move and delete, with the content of a file that is shown whole. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { recordDelete, recordWrite } from './tool-records.ts';

/** A file after a patch. */
interface Patched {
  verb: 'Add' | 'Update' | 'Delete';
  path: string;
  /** Its new path, if it was moved. */
  movedTo: string | undefined;
  /** Its whole content, if the patch shows it. */
  content: string | undefined;
}

function readPatch(patch: string): Patched[] {
  const files: Patched[] = [];
  let added: string[] | null = null;
  const close = (): void => {
    const last = files.at(-1);
    if (last && added) last.content = added.map((line) => `${line}\n`).join('');
    added = null;
  };
  for (const line of patch.split(/\r?\n/)) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const to = /^\*\*\* Move to: (.+)$/.exec(line)?.[1];
    const last = files.at(-1);
    if (verb !== undefined && path !== undefined) {
      close();
      files.push({ verb: verb as Patched['verb'], path, movedTo: undefined, content: undefined });
      if (verb === 'Add') added = [];
    } else if (to !== undefined && last) last.movedTo = to;
    else if (added && line.startsWith('+')) (added as string[]).push(line.slice(1));
  }
  close();
  return files;
}

function recordsOf(files: readonly Patched[], cwd: string | undefined): ToolRecord[] {
  return files.flatMap(({ verb, path, movedTo, content }): ToolRecord[] => {
    const gone = verb === 'Delete' || movedTo !== undefined ? recordDelete(path.trim(), cwd) : [];
    return verb === 'Delete' ? gone : [...gone, ...recordWrite((movedTo ?? path).trim(), cwd, content)];
  });
}

/** Returns the records of a patch that was applied. `cwd` is the folder that the agent worked in. */
export function patchedFiles(patch: string, cwd?: string): ToolRecord[] {
  return recordsOf(readPatch(patch), cwd);
}

const VERBS: Record<string, Patched['verb']> = { add: 'Add', update: 'Update', delete: 'Delete' };

/** Returns a change, whose type is one of its fields or, in some versions, the only key around them. */
function changeOf(value: JsonValue | undefined): JsonObject | undefined {
  const fields = objectOf(value);
  const [[type, own] = [], ...others] = Object.entries(fields ?? {});
  const inner = type !== undefined && others.length === 0 && Object.hasOwn(VERBS, type) ? objectOf(own) : undefined;
  return inner && type !== undefined ? { ...inner, type } : fields;
}

/** Returns the records of changes that were made: `{<path>: {type, content, move_path}}`. */
export function changedFiles(changes: JsonObject, cwd?: string): ToolRecord[] {
  const files = Object.entries(changes).flatMap(([path, value]): Patched[] => {
    const change = changeOf(value);
    const type = textOf(change?.['type']) ?? textOf(objectOf(change?.['kind'])?.['type']) ?? '';
    const verb = Object.hasOwn(VERBS, type) ? VERBS[type] : undefined;
    if (verb === undefined || path === '') return [];
    const movedTo = textOf(change?.['move_path']) || undefined;
    return [{ verb, path, movedTo, content: verb === 'Add' ? textOf(change?.['content']) : undefined }];
  });
  return recordsOf(files, cwd);
}

/** Returns the patch that a command line passes to `apply_patch`; null if there is none. */
export function patchIn(command: string): string | null {
  if (!command.includes('apply_patch') || !command.includes('*** Begin Patch')) return null;
  return /\*\*\* Begin Patch[\s\S]*?\*\*\* End Patch/.exec(command)?.[0] ?? null;
}
