/** The information about a session: its id, folder, title, model, version, and its parent. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';

const TITLE_LIMIT = 1024;
const PATH_LIMIT = 4096;

/** The session of a rollout. */
export class Session {
  readonly #known: JsonObject;
  readonly #tell: (session: About) => void;

  constructor(known: JsonObject, tell: (session: About) => void) {
    this.#known = { ...known };
    this.#tell = tell;
  }

  /** The state that the cursor holds. */
  get known(): JsonObject {
    return { ...this.#known };
  }

  get id(): string | undefined {
    return idOf(this.#known['agent_session_id']);
  }

  /** The folder that the agent works in now. */
  get cwd(): string | undefined {
    return textOf(this.#known['now_in']) ?? textOf(this.#known['cwd']);
  }

  get model(): string | undefined {
    return idOf(this.#known['model']);
  }

  /** The id of the sub-agent whose rollout this is; undefined if it is the user's own session. */
  get agentId(): string | undefined {
    return this.#known['is_sub_agent'] === true ? this.id : undefined;
  }

  #set(values: { [Key in keyof About]?: string | undefined }): void {
    const news = Object.entries(values).filter(([key, value]) => value !== undefined && this.#known[key] !== value);
    if (news.length === 0) return;
    Object.assign(this.#known, Object.fromEntries(news));
    this.#tell(Object.fromEntries(news) as About);
  }

  /**
   * Reads a `session_meta`. The first one counts: a copy of another session contains that one's, too.
   * @param base the session that it continues
   */
  hearMeta(meta: JsonObject, base: string | undefined): void {
    const id = idOf(meta['id']) ?? idOf(meta['session_id']);
    if (this.id !== undefined && this.id !== id) return;
    const parent = parentOf(meta);
    if (parent.isSubAgent) this.#known['is_sub_agent'] = true;
    this.#set({
      agent_session_id: id,
      cwd: this.#known['cwd'] === undefined ? pathOf(meta['cwd']) : undefined,
      agent_version: idOf(meta['cli_version']),
      git_branch: idOf(objectOf(meta['git'])?.['branch']),
      parent_agent_session_id: parent.id ?? (base === id ? undefined : base),
    });
  }

  /** Reads a `turn_context`: model and folder may change with each turn. */
  hearContext(context: JsonObject): void {
    const cwd = pathOf(context['cwd']);
    if (cwd !== undefined) this.#known['now_in'] = cwd;
    this.#set({ model: idOf(context['model']), cwd: this.#known['cwd'] === undefined ? cwd : undefined });
  }

  /** Sets the name that the session was given. */
  hearName(name: string | undefined): void {
    if (name !== undefined && name.trim() !== '' && name.length <= TITLE_LIMIT) this.#set({ title: name });
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

function pathOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= PATH_LIMIT ? value : undefined;
}
