/** What the agent has said in one message, by what is kept of it: of a part that was told anew, the later text is all of it. */
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
