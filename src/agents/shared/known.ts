/** The information about a session: given once, and again when it changes. */
import type { JsonObject } from '../../core/json.ts';
import { textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';

/** Longest value that is kept: a path. */
const LIMIT = 4096;

/** The information about a session so far. */
export class Known {
  readonly #known: JsonObject;
  readonly #tell: (session: About) => void;

  constructor(known: JsonObject, tell: (session: About) => void) {
    this.#known = { ...known };
    this.#tell = tell;
  }

  /** The information as a cursor holds it. */
  get known(): JsonObject {
    return { ...this.#known };
  }

  get cwd(): string | undefined {
    return textOf(this.#known['cwd']);
  }

  /** Adds information, and gives the values that are new. */
  hear(about: { [Key in keyof About]?: About[Key] | undefined }): void {
    const news = Object.entries(about).filter(
      ([key, value]) =>
        typeof value === 'string' && value.trim() !== '' && value.length <= LIMIT && this.#known[key] !== value,
    );
    if (news.length === 0) return;
    Object.assign(this.#known, Object.fromEntries(news));
    this.#tell(Object.fromEntries(news) as About);
  }
}
