/** The information about a session: its id, folder, title, model, version. */
import { type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';
import { copiedFrom } from './fields.ts';

/** The types of records with a title, and the key of each; a later type wins. */
const TITLES: Record<string, string> = { summary: 'summary', 'ai-title': 'aiTitle', 'custom-title': 'customTitle' };
const TITLE_LIMIT = 1024;
/** The number of summaries that are remembered until the line comes that they belong to. */
const SUMMARIES_LIMIT = 32;

/** The session of a transcript. */
export class Session {
  readonly #known: JsonObject;
  readonly #tell: (session: About) => void;
  /** Summaries by the last line that they cover: a file begins with those of other sessions. */
  readonly #summaries: Map<string, string>;

  constructor(cursor: JsonObject, tell: (session: About) => void) {
    const { summaries, ...known } = cursor;
    this.#known = known;
    this.#summaries = new Map(Object.entries(objectOf(summaries) ?? {}).filter(isTitled));
    this.#tell = tell;
  }

  /** The state that the cursor holds. */
  get known(): JsonObject {
    return { ...this.#known, ...(this.#summaries.size > 0 ? { summaries: Object.fromEntries(this.#summaries) } : {}) };
  }

  get id(): string | undefined {
    return idOf(this.#known['agent_session_id']);
  }

  get cwd(): string | undefined {
    return idOf(this.#known['cwd']);
  }

  #set(values: { [Key in keyof About]?: string | undefined }): void {
    const news = Object.entries(values).filter(([key, value]) => value !== undefined && this.#known[key] !== value);
    if (news.length === 0) return;
    Object.assign(this.#known, Object.fromEntries(news));
    this.#tell(Object.fromEntries(news) as About);
  }

  /** Reads what any record may contain. `agentId` is set in a file that is a sub-agent's own. */
  hear(record: JsonObject, agentId: string | undefined): void {
    const session = idOf(record['sessionId']);
    // A session that was continued in a file of its own begins with the unchanged lines of the former one.
    const heard = idOf(this.#known['heard']) ?? this.id;
    const before = session === undefined || session === heard ? undefined : heard;
    if (session !== undefined) this.#known['heard'] = session;
    const parent = agentId !== undefined ? session : (copiedFrom(record) ?? before);
    const isNews = before !== undefined || this.#known['parent_agent_session_id'] === undefined;
    const own = session !== undefined && agentId !== undefined ? `${session}/agent-${agentId}` : session;
    this.#set({
      agent_session_id: this.id === undefined ? own : undefined,
      parent_agent_session_id: isNews ? parent : undefined,
      cwd: this.cwd === undefined ? pathOf(record) : undefined,
      agent_version: idOf(record['version']),
      git_branch: idOf(record['gitBranch']),
    });
    this.#title(record);
    this.#isSummedUp(idOf(record['uuid']) ?? '');
  }

  hearModel(model: string): void {
    this.#set({ model });
  }

  #title(record: JsonObject): void {
    const type = idOf(record['type']);
    const key = type !== undefined && Object.hasOwn(TITLES, type) ? TITLES[type] : undefined;
    const value = key === undefined ? undefined : record[key];
    if (type === undefined || typeof value !== 'string' || value.trim() === '' || value.length > TITLE_LIMIT) return;
    const leaf = idOf(record['leafUuid']);
    if (type !== 'summary') this.#entitle(value, type);
    else if (leaf !== undefined && this.#summaries.size < SUMMARIES_LIMIT) this.#summaries.set(leaf, value);
  }

  /** Sets the title if a summary belongs to this line. */
  #isSummedUp(line: string): void {
    const summary = this.#summaries.get(line);
    if (summary === undefined) return;
    this.#entitle(summary, 'summary');
    this.#summaries.delete(line);
  }

  #entitle(title: string, source: string): void {
    const order = Object.keys(TITLES);
    if (order.indexOf(source) < order.indexOf(String(this.#known['title_from'] ?? ''))) return;
    this.#set({ title });
    this.#known['title_from'] = source;
  }
}

function isTitled(summary: [leaf: string, title: JsonValue | undefined]): summary is [string, string] {
  return typeof summary[1] === 'string';
}

function pathOf(record: JsonObject): string | undefined {
  const cwd = record['cwd'];
  return typeof cwd === 'string' && cwd !== '' && cwd.length <= 4096 ? cwd : undefined;
}
