/** Changes the texts in JSON that is itself a text, and no other byte of it: a large number would become another. */
import { endOfText, isObject, type JsonValue } from '../core/json.ts';
import { jsonIn } from './file-references.ts';

/** A text changed as the JSON that it holds, or, if it holds none, as a text. */
export function inJson(text: string, json: (value: JsonValue) => JsonValue, plain: (text: string) => string): string {
  const held = jsonIn(text);
  if (held === undefined) return plain(text);
  const changed = json(held);
  return changed === held ? text : (withTexts(text, textsOf(held), textsOf(changed)) ?? JSON.stringify(changed));
}

/** JSON with other texts in it; null if they are in another order than they are read in: a key twice, or one of digits. */
function withTexts(text: string, texts: readonly string[], others: readonly string[]): string | null {
  let kept = '';
  let last = 0;
  let index = 0;
  for (const [from, to] of placesIn(text)) {
    if (JSON.parse(text.slice(from, to)) !== texts[index]) return null;
    if (texts[index] !== others[index]) {
      kept += text.slice(last, from) + JSON.stringify(others[index]);
      last = to;
    }
    index += 1;
  }
  return index === texts.length ? kept + text.slice(last) : null;
}

/** If the texts of JSON are in it, keys too, with their quotes. */
function* placesIn(text: string): Generator<readonly [from: number, to: number]> {
  for (let from = text.indexOf('"'); from >= 0; ) {
    const to = endOfText(text, from) + 1;
    yield [from, to];
    from = text.indexOf('"', to);
  }
}

/** All texts of a value, keys too, as they are in its JSON. */
function textsOf(value: JsonValue | undefined, texts: string[] = []): string[] {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const item of value) textsOf(item, texts);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      texts.push(key);
      textsOf(item, texts);
    }
  return texts;
}
