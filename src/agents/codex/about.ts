/** What is known of the whole session: its id, folder, title, model, version, and whose child it is. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';

const TITLE_LIMIT = 1024;
const PATH_LIMIT = 4096;

export class Session {
  readonly #known: JsonObject;
  readonly #tell: (session: About) => void;

  constructor(known: JsonObject, tell: (session: About) => void) {
    this.#known = { ...known };
    this.#tell = tell;
  }

  /** What the cursor needs of it. */
  get known(): JsonObject {
    return { ...this.#known };
  }

  get id(): string | undefined {
    return idOf(this.#known['agent_session_id']);
  }

  /** Where the agent works now. */
  get cwd(): string | undefined {
    return textOf(this.#known['now_in']) ?? textOf(this.#known['cwd']);
  }

  get model(): string | undefined {
    return idOf(this.#known['model']);
  }

  /** The id of the sub-agent whose rollout this is; undefined where it is the user's own session. */
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
   * Takes a `session_meta`. The first one counts: a copy of another session brings that one's along.
   * @param base the session that it goes on from
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

  /** Takes a `turn_context`: model and folder may change with each turn. */
  hearContext(context: JsonObject): void {
    const cwd = pathOf(context['cwd']);
    if (cwd !== undefined) this.#known['now_in'] = cwd;
    this.#set({ model: idOf(context['model']), cwd: this.#known['cwd'] === undefined ? cwd : undefined });
  }

  /** Takes the name that the session was given. */
  hearName(name: string | undefined): void {
    if (name !== undefined && name.trim() !== '' && name.length <= TITLE_LIMIT) this.#set({ title: name });
  }
}

/** The session that started this one, or of which it is a copy. */
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
