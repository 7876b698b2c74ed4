/** Computes the checksum that GitHub and npm put at the end of their tokens: CRC-32 of the random part, in base 62. */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Computes a CRC-32 bit by bit: a table would cost more than it saves for thirty characters. */
export function crc32(text: string): number {
  let value = 0xffff_ffff;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  }
  return ~value >>> 0;
}

/** Returns the checksum in six characters, padded with zeros. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < 6; place++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Checks a token of the form `xxx_`, 30 characters and a checksum of 6. */
export function hasChecksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1);
  return body.length === 36 && checksumOf(body.slice(0, 30)) === body.slice(30);
}
