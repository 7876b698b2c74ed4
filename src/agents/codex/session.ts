/** The information about a session: its id, folder, title, model, version, and its parent. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';
import { isKept, Known } from '../shared/known.ts';

const TITLE_LIMIT = 1024;

/** The session of a rollout. */
export class Session extends Known {
  get id(): string | undefined {
    return idOf(this.fields['agent_session_id']);
  }

  /** The folder that the agent works in now. */
  override get cwd(): string | undefined {
    return textOf(this.fields['now_in']) ?? super.cwd;
  }

  get model(): string | undefined {
    return idOf(this.fields['model']);
  }

  /** The id of the sub-agent whose rollout this is; undefined if it is the user's own session. */
  get agentId(): string | undefined {
    return this.fields['is_sub_agent'] === true ? this.id : undefined;
  }

  /**
   * Reads a `session_meta`. The first one counts: a copy of another session contains that one's, too.
   * @param base the session that it continues
   */
  readMeta(meta: JsonObject, base: string | undefined): void {
    const id = idOf(meta['id']) ?? idOf(meta['session_id']);
    if (this.id !== undefined && this.id !== id) return;
    const parent = parentOf(meta);
    if (parent.isSubAgent) this.fields['is_sub_agent'] = true;
    this.update({
      agent_session_id: id,
      cwd: this.fields['cwd'] === undefined ? textOf(meta['cwd']) : undefined,
      agent_version: idOf(meta['cli_version']),
      git_branch: idOf(objectOf(meta['git'])?.['branch']),
      parent_agent_session_id: parent.id ?? (base === id ? undefined : base),
    });
  }

  /** Reads a `turn_context`: model and folder may change with each turn. */
  readContext(context: JsonObject): void {
    const cwd = textOf(context['cwd']);
    if (isKept(cwd)) this.fields['now_in'] = cwd;
    this.update({ model: idOf(context['model']), cwd: this.fields['cwd'] === undefined ? cwd : undefined });
  }

  /** Sets the name that the session was given. */
  rename(name: string | undefined): void {
    if (name !== undefined && name.length <= TITLE_LIMIT) this.update({ title: name });
  }
}

/** Returns the session that started this one, or of which it is a copy. */
export function parentOf(meta: JsonObject): { id: string | undefined; isSubAgent: boolean } {
  const source = objectOf(meta['source']);
  const spawn = objectOf(objectOf(source?.['subagent'])?.['thread_spawn']);
  const parent = idOf(meta['parent_thread_id']) ?? idOf(spawn?.['parent_thread_id']);
  const isSubAgent = parent !== undefined || source?.['subagent'] !== undefined || meta['thread_source'] === 'subagent';
  return { id: parent ?? idOf(meta['forked_from_id']), isSubAgent };
}
