/** SHA-1, SHA-256 (FIPS 180-4) and Adler-32 (RFC 1950) as WebAssembly modules, put together from what the standards say: `src/core/digest-code.ts` holds what comes out. */
import type { DigestName } from '../../src/core/digest.ts';

/** Positions in the module's memory, in bytes: the state, its value after a block, the block's words, and the constants of SHA-256. */
const [STATE, MIXED, WORDS, ROUNDS] = [0, 32, 64, 384];

type Code = readonly number[];

/** An integer as WebAssembly writes it, LEB128: signed, or not. */
function integer(value: number, isSigned: boolean): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest = isSigned ? rest >> 7 : rest >>> 7;
    const isLast = isSigned ? (rest === 0 && low < 64) || (rest === -1 && low >= 64) : rest === 0;
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

const unsigned = (value: number): number[] => integer(value, false);
const join = (...parts: readonly Code[]): number[] => parts.flat();
const constant = (value: number): Code => [0x41, ...integer(value | 0, true)];
const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const call = (index: number): Code => [0x10, index];
const load = (address: Code, offset: number): Code => [...address, 0x28, 2, ...unsigned(offset)];
const store = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  0x36,
  2,
  ...unsigned(offset),
];

/** An operator between two values and more, from the left. */
const operator =
  (code: number) =>
  (first: Code, ...more: readonly Code[]): Code =>
    join(first, ...more.map((next) => [...next, code]));
const add = operator(0x6a);
const and = operator(0x71);
const or = operator(0x72);
const xor = operator(0x73);
const subtract = operator(0x6b);
const shifted = (value: Code, by: number): Code => join(value, constant(by), [0x76]);
/** A value that is turned round, which is taken twice: for an instruction that does it V8's first compiler calls a function. */
const left = (value: Code, by: number): Code => or(join(value, constant(by), [0x74]), shifted(value, 32 - by));
const right = (value: Code, by: number): Code => left(value, 32 - by);

/**
 * A loop over words, some of them in each turn, told apart by how far they lie behind `AT`: V8's first compiler puts all locals
 * into memory wherever a turn begins, which takes longer than what is done with one word.
 */
const words = (from: number, to: number, inTurn: number, body: (index: number, offset: number) => Code): Code =>
  join(
    set(AT, constant(from * 4)),
    [0x03, 0x40],
    ...Array.from({ length: inTurn }, (_, index) => body(index, index * 4)),
    set(AT, add(get(AT), constant(inTurn * 4))),
    get(AT),
    constant(to * 4),
    [0x49, 0x0d, 0, 0x0b],
  );

// Locals of all functions: where the message is, how many blocks are left, where a loop is, and the words that are mixed.
const [FROM, BLOCKS, AT, TEMPORARY, FIRST] = [0, 1, 2, 3, 4];

/** The first sixteen words of a block, whose bytes stand the other way round. */
const FILL = words(0, 16, 4, (_, offset) =>
  join(
    set(TEMPORARY, load(add(get(FROM), get(AT)), offset)),
    store(
      get(AT),
      WORDS + offset,
      or(and(left(get(TEMPORARY), 8), constant(0x00ff00ff)), and(right(get(TEMPORARY), 8), constant(0xff00ff00))),
    ),
  ),
);

/**
 * Takes all blocks into the state. Each step of one is a function of its own: V8 compiles a function anew, in another thread, once
 * it has run so many bytes of its code, and in one function that was after two kilobytes of a message; a hook hashes more.
 */
const eachBlock = (size: number, steps: number): Code => {
  const state = Array.from({ length: size }, (_, index) => index * 4);
  return join(
    [0x03, 0x40],
    ...state.map((at) => store(constant(STATE), MIXED + at, load(constant(STATE), at))),
    ...Array.from({ length: steps }, (_, index) => join(get(FROM), get(BLOCKS), call(index + 1))),
    ...state.map((at) => store(constant(STATE), at, add(load(constant(STATE), at), load(constant(STATE), MIXED + at)))),
    set(FROM, add(get(FROM), constant(64))),
    set(BLOCKS, subtract(get(BLOCKS), constant(1))),
    get(BLOCKS),
    [0x0d, 0, 0x0b],
  );
};

/**
 * Rounds on locals, one for each word of what is mixed: as many in a turn as there are locals, for in each the words stand one
 * local further, and after so many each stands where it began.
 * @param round is given the locals in the order of the standard, and how far behind `AT` its word lies
 */
const mixing = (size: number, from: number, to: number, round: (locals: number[], offset: number) => Code): Code => {
  const mixed = Array.from({ length: size }, (_, index) => index);
  return join(
    ...mixed.map((index) => set(FIRST + index, load(constant(STATE), MIXED + index * 4))),
    words(from, to, size, (index, offset) =>
      round(
        mixed.map((at) => FIRST + ((at + size - index) % size)),
        offset,
      ),
    ),
    ...mixed.map((index) => store(constant(STATE), MIXED + index * 4, get(FIRST + index))),
  );
};

/** A module's functions, the first of which takes the blocks. */
const hashing = (size: number, steps: readonly Code[]): Code[] =>
  [eachBlock(size, steps.length), ...steps].map((code) => body(2 + size, code));

/** FIPS 180-4, section 6.1.2. */
function sha1(): Code[] {
  const schedule = words(16, 80, 4, (_, offset) => {
    const before = (back: number): Code => load(get(AT), WORDS + offset - back * 4);
    const mixed = xor(before(3), before(8), before(14), before(16));
    return join(set(TEMPORARY, mixed), store(get(AT), WORDS + offset, left(get(TEMPORARY), 1)));
  });
  const twenty = (from: number, mixed: (b: Code, c: Code, d: Code) => Code, key: number): Code =>
    mixing(5, from, from + 20, (locals, offset) => {
      const [a, b, c, d, e] = locals as [number, number, number, number, number];
      const sum = add(
        left(get(a), 5),
        mixed(get(b), get(c), get(d)),
        get(e),
        constant(key),
        load(get(AT), WORDS + offset),
      );
      return join(set(e, sum), set(b, left(get(b), 30)));
    });
  const parity = (b: Code, c: Code, d: Code): Code => xor(b, c, d);
  return hashing(5, [
    FILL,
    schedule,
    twenty(0, (b, c, d) => xor(d, and(b, xor(c, d))), 0x5a827999),
    twenty(20, parity, 0x6ed9eba1),
    twenty(40, (b, c, d) => or(and(b, c), and(d, or(b, c))), 0x8f1bbcdc),
    twenty(60, parity, 0xca62c1d6),
  ]);
}

/** FIPS 180-4, section 6.2.2. */
function sha256(): Code[] {
  const small = (value: Code, one: number, two: number, shift: number): Code =>
    xor(right(value, one), right(value, two), shifted(value, shift));
  const large = (value: Code, one: number, two: number, three: number): Code =>
    xor(right(value, one), right(value, two), right(value, three));
  const schedule = words(16, 64, 4, (_, offset) => {
    const before = (back: number): Code => load(get(AT), WORDS + offset - back * 4);
    return join(
      set(TEMPORARY, before(2)),
      set(FIRST, small(get(TEMPORARY), 17, 19, 10)),
      set(TEMPORARY, before(15)),
      store(get(AT), WORDS + offset, add(get(FIRST), before(7), small(get(TEMPORARY), 7, 18, 3), before(16))),
    );
  });
  const rounds = (from: number, to: number): Code =>
    mixing(8, from, to, (locals, offset) => {
      const [a, b, c, d, e, f, g, h] = locals.map(get) as [Code, Code, Code, Code, Code, Code, Code, Code];
      const choice = xor(g, and(e, xor(f, g)));
      const majority = or(and(a, b), and(c, or(a, b)));
      const [, , , toD, , , , toH] = locals as [number, number, number, number, number, number, number, number];
      return join(
        set(toH, add(h, large(e, 6, 11, 25), choice, load(get(AT), ROUNDS + offset), load(get(AT), WORDS + offset))),
        set(toD, add(d, h)),
        set(toH, add(h, large(a, 2, 13, 22), majority)),
      );
    });
  return hashing(8, [FILL, schedule, rounds(0, 32), rounds(32, 64)]);
}

/** Takes so many bytes at a time, as long as so many are left. */
const bytesWise = (count: number, body: (at: number) => Code): Code =>
  join(
    [0x02, 0x40, 0x03, 0x40],
    get(BLOCKS),
    constant(count),
    [0x49, 0x0d, 1],
    ...Array.from({ length: count }, (_, at) => body(at)),
    set(FROM, add(get(FROM), constant(count))),
    set(BLOCKS, subtract(get(BLOCKS), constant(count))),
    [0x0c, 0, 0x0b, 0x0b],
  );

/** RFC 1950, section 8: both sums, of up to 5,552 bytes, for they stay below 2^32 so far. */
function adler32(): Code {
  const [one, other] = [AT, TEMPORARY];
  const sum = (local: number): Code => [...get(local), ...constant(65_521), 0x70];
  const take = (at: number): Code =>
    join(set(one, add(get(one), [...get(FROM), 0x2d, 0, at])), set(other, add(get(other), get(one))));
  return join(
    set(one, load(constant(STATE), 0)),
    set(other, load(constant(STATE), 4)),
    bytesWise(16, take),
    bytesWise(1, take),
    store(constant(STATE), 0, sum(one)),
    store(constant(STATE), 4, sum(other)),
  );
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2), little-endian. */
function roundConstants(): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes.flatMap((prime) => {
    const root = Math.cbrt(prime);
    const bits = Math.floor((root - Math.floor(root)) * 0x1_0000_0000);
    return [0, 8, 16, 24].map((shift) => (bits >>> shift) & 0xff);
  });
}

const section = (id: number, ...content: readonly Code[]): Code => {
  const bytes = join(...content);
  return [id, ...unsigned(bytes.length), ...bytes];
};
const name = (text: string): Code => [text.length, ...Buffer.from(text)];
const body = (locals: number, code: Code): Code => {
  const bytes = join([1, locals, 0x7f], code, [0x0b]);
  return [...unsigned(bytes.length), ...bytes];
};

const FUNCTIONS: Readonly<Record<DigestName, () => Code[]>> = {
  sha1,
  sha256,
  adler32: () => [body(2, adler32())],
};

/** A module: `compress(from, count)`, of blocks or of bytes, and `memory`, of one page. */
export function digestModule(digest: DigestName): Buffer {
  const constants = digest === 'sha256' ? roundConstants() : null;
  const functions = FUNCTIONS[digest]();
  return Buffer.from(
    join(
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [1, 0x60, 2, 0x7f, 0x7f, 0]),
      section(
        3,
        [functions.length],
        functions.map(() => 0),
      ),
      section(5, [1, 1, 1, 1]),
      section(7, [2], name('memory'), [2, 0], name('compress'), [0, 0]),
      section(10, [functions.length], ...functions),
      constants ? section(11, [1, 0], constant(ROUNDS), [0x0b], unsigned(constants.length), constants) : [],
    ),
  );
}
