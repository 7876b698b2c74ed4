/** A session of opencode's, wherever it is kept: what is known of it, and its text. */
import { opencode } from '../../agents/opencode/index.ts';
import { type Export, exportLines } from '../../agents/opencode/unfold.ts';
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Collected } from './collection.ts';
import { linesText, type Recognised } from './text.ts';

export function recognised(file: string, id: string, exported: Export, written_at: number | null): Recognised {
  const lines = (): Iterable<string> => exportLines(exported);
  return { agent: opencode, agentSession: id, text: linesText(file, lines, written_at ?? 0) };
}

/** What the fields of a session tell of it; null if not the folder that it worked in. */
export function aboutOf(id: string, info: JsonObject): ReturnType<NonNullable<Collected['about']>> {
  const cwd = textOf(info['directory']);
  return cwd ? { id, cwd, is_sub_agent: textOf(info['parentID']) !== undefined } : null;
}
