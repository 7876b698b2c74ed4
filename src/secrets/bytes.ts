/** Redacts contents in bytes: every byte outside of secrets stays as it was, in UTF-8 or not. */
import type { Counts } from '../core/counts.ts';
import type { RedactionOptions } from './options.ts';
import type { Label } from './redact.ts';
import { redactedText, type TextStream } from './stream.ts';

/** A NUL among this many first bytes means that the contents are binary, as in Git. */
const PROBE = 8000;

/** A transformer that takes contents in chunks and returns them redacted in other chunks. */
interface ByteStream {
  push(chunk: Uint8Array): Buffer;
  end(): Buffer;
  readonly findings: Counts;
  /** True if the contents are binary; these are not changed. */
  readonly binary: boolean;
}

const NOTHING = Buffer.alloc(0);

/** Makes a stream that redacts bytes. @param isText whether they are text, whatever they begin with */
export function redactedBytes(options: RedactionOptions | undefined, label: Label, isText = false): ByteStream {
  const stream: TextStream = redactedText(options, label);
  let kind: 'unknown' | 'text' | 'binary' = isText ? 'text' : 'unknown';
  /** Bytes that are not processed yet: the beginning of the contents, or an incomplete character. */
  let held = NOTHING;

  const takeText = (bytes: Buffer, final: boolean): Buffer => {
    const whole = final ? bytes.length : wholeLength(bytes);
    // A copy, since the caller may reuse its buffer.
    held = Buffer.from(bytes.subarray(whole));
    const out = stream.push(decode(bytes.subarray(0, whole)));
    return encode(final ? out + stream.end() : out);
  };

  const take = (bytes: Buffer, final: boolean): Buffer => {
    if (kind === 'unknown') {
      if (bytes.subarray(0, PROBE).includes(0)) kind = 'binary';
      else if (bytes.length >= PROBE || final) kind = 'text';
      else {
        held = Buffer.from(bytes);
        return NOTHING;
      }
    }
    if (kind === 'text') return takeText(bytes, final);
    held = NOTHING;
    return Buffer.from(bytes);
  };

  return {
    findings: stream.findings,
    get binary() {
      return kind === 'binary';
    },
    push: (chunk) => take(held.length > 0 ? Buffer.concat([held, chunk]) : viewOf(chunk), false),
    end: () => take(held, true),
  };
}

const viewOf = (chunk: Uint8Array): Buffer => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** Returns the UTF-8 length of a character by its first byte; 1 for a byte that begins no character. */
const lengthBy = (byte: number): number => (byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1);
const characterLength = (byte: number): number => (byte >= 0xf5 ? 1 : lengthBy(byte));

/** Returns the length of the bytes without an incomplete character at their end. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** A byte that is no UTF-8 is decoded to a lone surrogate, which valid text never holds. */
const FOREIGN = 0xdc00;
const FOREIGN_BYTES = /[\udc80-\udcff]/u;

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(bytes)) return text;
  const parts: string[] = [];
  for (let index = 0; index < bytes.length; ) {
    const length = characterLength(bytes[index] ?? 0);
    const one = bytes.subarray(index, index + length);
    const character = one.toString('utf8');
    const isWhole = Buffer.from(character, 'utf8').equals(one);
    parts.push(isWhole ? character : String.fromCharCode(FOREIGN + (bytes[index] ?? 0)));
    index += isWhole ? length : 1;
  }
  return parts.join('');
}

function encode(text: string): Buffer {
  if (text === '') return NOTHING;
  if (!FOREIGN_BYTES.test(text)) return Buffer.from(text, 'utf8');
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 ? Buffer.of(part.charCodeAt(0) - FOREIGN) : Buffer.from(part, 'utf8'))),
  );
}
