/** The checksum that GitHub and npm put at the end of their tokens: CRC-32 of the random part, in base 62. */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bit by bit: it is for thirty characters once in a while, and a table would cost more than it saves. */
export function crc32(text: string): number {
  let value = 0xffff_ffff;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  }
  return ~value >>> 0;
}

/** Six characters, zeros in front. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < 6; place++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Whether a token `xxx_` + 30 characters + 6 of checksum is whole. */
export function hasChecksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1);
  return body.length === 36 && checksumOf(body.slice(0, 30)) === body.slice(30);
}
