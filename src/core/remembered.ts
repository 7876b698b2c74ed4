/** Remembers what was computed for a text: a text that is made to be slow, and a long list, has the same one in many places. */

/** Longer ones hardly come again, and cost room; so many are remembered at once. In UTF-16 code units. */
const LONGEST = 512;
const MOST = 512;

/** A copy that does not keep all of the text that it was cut from. */
const alone = (text: string): string => ` ${text}`.slice(1);

/** Remembers what a pure function returned for the last texts. */
export function remembered<T extends object | string | number | boolean | null>(
  tell: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  let lastText: string | undefined;
  let last: T;
  return (text) => {
    // To compare two texts costs less than to look one up.
    if (text === lastText) return last;
    if (text.length > LONGEST) return tell(text);
    let told = known.get(text);
    if (told === undefined) {
      told = tell(text);
      if (known.size >= MOST) known.clear();
      known.set(alone(text), told);
    }
    lastText = text;
    last = told;
    return told;
  };
}
