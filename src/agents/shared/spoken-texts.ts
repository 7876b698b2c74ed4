/** The texts of one message of the agent, by its kept records: a later text with the same id replaces the earlier one. */
import { type JsonObject, type JsonValue, textOf } from '../../core/json.ts';

export class SpokenTexts {
  readonly #texts: { id: JsonValue | undefined; text: string }[] = [];

  get all(): string[] {
    return this.#texts.map(({ text }) => text);
  }

  add(parts: readonly JsonObject[]): void {
    for (const { type, id, text: told } of parts) {
      const text = type === 'text' ? textOf(told) : undefined;
      if (text === undefined) continue;
      const before = id === undefined ? undefined : this.#texts.find((one) => one.id === id);
      if (before) before.text = text;
      else this.#texts.push({ id, text });
    }
  }
}
