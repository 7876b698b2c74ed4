/** Reads a regular expression into its pieces: sets of characters, sequences, choices, repeats. */

/** Characters by their code; the last place replaces all beyond ASCII. */
export type Chars = readonly boolean[];
const SIZE = 129;
const charsOf = (test: (code: number) => boolean): Chars => Array.from({ length: SIZE }, (_, code) => test(code));
export const NONE: Chars = new Array<boolean>(SIZE).fill(false);
export const ALL: Chars = new Array<boolean>(SIZE).fill(true);
export const union = (a: Chars, b: Chars): Chars => a.map((one, code) => one || b[code] === true);
export const meet = (a: Chars, b: Chars): boolean => a.some((one, code) => one && b[code] === true);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 128;
/** As tests, for hardly anybody has patterns of their own, and this is loaded by everybody. */
const SHORTHANDS: Readonly<Record<string, (code: number) => boolean>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code) || code === 128,
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

/** A piece of a pattern. */
export type Node =
  | { readonly kind: 'chars'; readonly chars: Chars; readonly source: string }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly least: number; readonly most: number }
  /** A group that catches what it matches. */
  | { readonly kind: 'catch'; readonly item: Node }
  | { readonly kind: 'look'; readonly item: Node; readonly source: string }
  | { readonly kind: 'edge'; readonly source: string };

/** A repeat without a bound: where its sign is in the pattern. */
interface Open {
  readonly start: number;
  readonly end: number;
  readonly least: number;
}

class Reader {
  readonly open: Open[] = [];
  private index = 0;
  private readonly source: string;
  private readonly anyCase: boolean;

  constructor(source: string, anyCase: boolean) {
    this.source = source;
    this.anyCase = anyCase;
  }

  read(): Node {
    const node = this.choice();
    if (this.index < this.source.length) throw new Error('A group is closed that was not opened.');
    return node;
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.index)) return false;
    this.index += text.length;
    return true;
  }

  private choice(): Node {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options };
  }

  private sequence(): Node {
    const items: Node[] = [];
    while (this.index < this.source.length && !'|)'.includes(this.source.charAt(this.index)))
      items.push(this.repeated());
    return { kind: 'sequence', items };
  }

  private repeated(): Node {
    const item = this.atom();
    const match = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(this.source.slice(this.index, this.index + 24));
    if (!match) return item;
    const start = this.index;
    this.index += match[0].length;
    if (match[1] === '?') return { kind: 'repeat', item, least: 0, most: 1 };
    const least = match[1] ? Number(match[1] === '+') : Number(match[2]);
    const bound = match[1] ? undefined : match[3] === undefined ? least : match[4] ? Number(match[4]) : undefined;
    // A question mark behind it only says which of the ways is tried first.
    if (bound === undefined) this.open.push({ start, end: start + match[0].replace(/\?$/, '').length, least });
    return { kind: 'repeat', item, least, most: bound ?? Number.POSITIVE_INFINITY };
  }

  private atom(): Node {
    const from = this.index;
    const source = (): string => this.source.slice(from, this.index);
    if (this.take('(')) {
      const look = /^\?(?:<?[=!])/.exec(this.source.slice(this.index))?.[0];
      const sign = look ?? /^\?(?::|<[A-Za-z]\w*>)/.exec(this.source.slice(this.index))?.[0] ?? '';
      this.index += sign.length;
      const item = this.choice();
      this.take(')');
      if (look !== undefined) return { kind: 'look', item, source: source() };
      return sign === '?:' ? item : { kind: 'catch', item };
    }
    if (this.take('^') || this.take('$') || this.take('\\b') || this.take('\\B'))
      return { kind: 'edge', source: source() };
    const chars = this.take('.')
      ? charsOf((code) => code !== 10 && code !== 13)
      : this.take('[')
        ? this.set()
        : this.fold(this.single());
    return { kind: 'chars', chars, source: source() };
  }

  /** One character, or a shorthand for many. */
  private single(): Chars {
    const letter = this.source.charAt(this.index++);
    if (letter !== '\\') return charsOf((code) => code === Math.min(letter.charCodeAt(0), 128));
    const next = this.source.charAt(this.index++);
    if (/[1-9kpP]/.test(next)) throw new Error(`It has \\${next}.`);
    const hex = /^(?:x[0-9a-f]{2}|u[0-9a-f]{4})/i.exec(this.source.slice(this.index - 1))?.[0];
    if (hex) this.index += hex.length - 1;
    const value = hex ? Number.parseInt(hex.slice(1), 16) : (CONTROLS[next] ?? next.charCodeAt(0));
    return charsOf(SHORTHANDS[next] ?? ((code) => code === Math.min(value, 128)));
  }

  private set(): Chars {
    const negated = this.take('^');
    let chars = NONE;
    while (this.index < this.source.length && !this.take(']')) {
      const first = this.single();
      const isRange = this.source.charAt(this.index) === '-' && this.source.charAt(this.index + 1) !== ']';
      if (!isRange) {
        chars = union(chars, first);
        continue;
      }
      this.index++;
      const [from, to] = [first.indexOf(true), this.single().indexOf(true)];
      chars = union(
        chars,
        charsOf((code) => code >= from && code <= to),
      );
    }
    const folded = this.fold(chars);
    // A character class negated beyond ASCII is large: one character less leaves the others in.
    return negated ? folded.map((one, code) => !one || code === 128) : folded;
  }

  private fold(chars: Chars): Chars {
    if (!this.anyCase) return chars;
    const isLetter = (code: number): boolean => code < 128 && /[A-Za-z]/.test(String.fromCharCode(code));
    return charsOf((code) => chars[code] === true || (isLetter(code) && chars[code ^ 32] === true));
  }
}

/** @throws if it has what cannot be informed: a reference back, a property of Unicode */
export const readPattern = (pattern: string, anyCase: boolean): Node => new Reader(pattern, anyCase).read();

/** A pattern with a bound where a repeat has none. @throws as `readPattern` does */
export function boundedPattern(pattern: string, most: number): string {
  const reader = new Reader(pattern, false);
  reader.read();
  return reader.open
    .sort((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, least }) => `${text.slice(0, start)}{${least},${Math.max(least, most)}}${text.slice(end)}`,
      pattern,
    );
}
