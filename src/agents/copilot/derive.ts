/** What Copilot's own tools did, by a call and its result. */

import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { commandDeed, readDeed, writeDeed } from '../shared/deeds.ts';
import type { Result } from '../shared/parts.ts';

/** What stands behind the output of a command that came to its end. */
const EXIT = /\n?<(?:exited with exit code|command exited with code) (-?\d{1,9})>\s*$/;

/** An editor in one tool: what it does is in its input. */
function edited(command: string | undefined, input: JsonObject, cwd: string | undefined): ToolRecord[] {
  const path = textOf(input['path']);
  if (command === 'view') return readDeed(path, cwd);
  if (command === 'create') return writeDeed(path, cwd, textOf(input['file_text']));
  return ['edit', 'str_replace', 'insert'].includes(command ?? '') ? writeDeed(path, cwd) : [];
}

/** A call with its result: what it did. `cwd` is where the agent worked. */
export function derive(name: string, told: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(told) ?? {};
  if (name === 'bash' || name === 'powershell') {
    const exit = EXIT.exec(result.text);
    // Without an exit code nothing says that one that failed has run at all.
    if (result.failed && !exit) return [];
    const output = result.text.slice(0, exit?.index);
    return commandDeed(textOf(input['command']), exit ? Number(exit[1]) : null, output);
  }
  if (result.failed) return [];
  if (name === 'update_todo') {
    const content = textOf(input['todos']);
    return content ? [{ body: { kind: 'plan', content } }] : [];
  }
  return edited(name === 'str_replace_editor' ? textOf(input['command']) : name, input, cwd);
}
