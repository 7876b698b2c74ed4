/** Numbers of a JSON text that a JavaScript number does not hold: read and written again, they would be others. */
import { endOfText } from './json.ts';

/** Matches any such number: sixteen digits, or an exponent. The test spares most texts a look at each value. */
const MAY_BE = /\d[\d.]{15}|\d[eE]/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** So many digits distinguish one number with a fraction from another, as programs write them. */
const MOST_DIGITS = 17;

/** Returns the keys that lead to the first number of a JSON text that would become another number; null if none would. */
export function changedNumber(text: string): string | null {
  if (!MAY_BE.test(text)) return null;
  /** The key, or the place in a list, on each level. */
  const path: (string | number)[] = [];
  let word = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '"') {
      const end = endOfText(text, index);
      word = text.slice(index + 1, end);
      index = end;
    } else if (character === '{') path.push('');
    else if (character === '[') path.push(0);
    else if (character === '}' || character === ']') path.pop();
    else if (character === ':') path[path.length - 1] = word;
    else if (character === ',') path[path.length - 1] = next(path.at(-1));
    else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = index;
      const number = NUMBER.exec(text)?.[0] ?? character;
      if (!isKept(number)) return path.join('.');
      index += number.length - 1;
    }
  }
  return null;
}

const next = (place: string | number | undefined): string | number => (typeof place === 'number' ? place + 1 : '');

function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const { digits, exponent } = decimalOf(number);
  const kept = decimalOf(String(value));
  if (digits === kept.digits && exponent === kept.exponent) return true;
  return value !== 0 && exponent < 0 && digits.length <= MOST_DIGITS;
}

/** A number as its digits, without zeros at either end, times a power of ten. */
function decimalOf(number: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = number.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  const exponent = digits === '' ? 0 : Number(power) - fraction.length + all.length - digits.length;
  return { digits, exponent };
}
