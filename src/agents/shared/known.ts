/** The information about a session: given once, and again when it changes. */
import type { JsonObject } from '../../core/json.ts';
import { textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';

/** Longest value that is kept: a path. */
const LIMIT = 4096;

/** Returns whether a value is kept: a text that is not blank, and not too long. */
export const isKept = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LIMIT;

/** The information about a session so far. */
export class Known {
  protected readonly fields: JsonObject;
  readonly #tell: (session: About) => void;

  constructor(known: JsonObject, tell: (session: About) => void) {
    this.fields = { ...known };
    this.#tell = tell;
  }

  /** The information as a cursor holds it. */
  get known(): JsonObject {
    return { ...this.fields };
  }

  get cwd(): string | undefined {
    return textOf(this.fields['cwd']);
  }

  /** Adds information, and gives the values that are new. */
  update(about: { [Key in keyof About]?: About[Key] | undefined }): void {
    const news = Object.entries(about).filter(([key, value]) => isKept(value) && this.fields[key] !== value);
    if (news.length === 0) return;
    Object.assign(this.fields, Object.fromEntries(news));
    this.#tell(Object.fromEntries(news) as About);
  }
}
