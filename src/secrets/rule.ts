/** Defines a rule: plain data that says where a secret of one kind may begin and what it looks like. */
import type { RuleName } from './rule-names.ts';

/** Certainty of a rule about its name: the one that knows most names findings that overlap. */
export type Certainty = 'exact' | 'context' | 'guess';

/** End of a word: not a letter or digit (`word`), nor `_` or `-` (`token`); or there need be no end (`any`). */
export type Edge = 'word' | 'token' | 'any';

/**
 * A pattern of what follows a keyword, or of its beginning at the end of a text: it may continue in the next. A longer one than
 * that has been seen by what it is.
 */
export const orPartial = (pattern: string): string => `(?:${pattern}|${PARTIAL_TOKEN})`;
const PARTIAL_TOKEN = String.raw`[\w-]{0,80}(?:\n|$)`;

export interface Rule {
  /** Kebab-case; is in the marker and in settings. */
  readonly name: RuleName;
  /** Description of its findings, for the documentation. */
  readonly finds: string;
  /**
   * A secret of the kind, as a template from which tests make secrets that nobody has: `{40:b}` is forty characters of the
   * alphabet `b`. If more than the secret is needed, it is between « and ». Absent for
   * passwords, and if a check accepts only what was computed.
   */
  readonly example?: string;
  /**
   * One of these is in every match; a place without any of them is never looked at. Two characters at least,
   * letters, digits and punctuation of ASCII only.
   */
  readonly keywords: readonly string[];
  /**
   * By keyword, what follows it at once in every match, as a pattern: nobody looks closer at a text that has it nowhere. For
   * those that are in texts of every day.
   */
  readonly follows?: Readonly<Record<string, string>>;
  /** The keywords count in any case. */
  readonly anyCase?: boolean;
  /**
   * The match continues in these characters, a class of a pattern, at least up to what follows them: a run without that is seen
   * once, however many keywords are in it.
   */
  readonly run?: { readonly of: string; readonly upTo: string };
  /** So many characters of the match are before the keyword; 0 if absent. */
  readonly lead?: number;
  /** True if the text behind the secret makes it one: a beginning counts only if it looks like a password by itself. */
  readonly late?: boolean;
  /** The secret ends where the keyword begins: the pattern looks back at it, and catches it there. */
  readonly behind?: boolean;
  /**
   * Tried where a match may begin, and only there. Its group is the secret and the end of the match, or the second where the
   * first caught nothing; without a group the whole match is. Bounded everywhere, ASCII only, so that it looks the same in bytes and in characters.
   */
  readonly pattern: string;
  readonly flags?: 'i';
  /** Edge that must not be right before the match; `word` if absent. */
  readonly before?: Edge;
  /** Edge that must not continue the secret; `word` if absent. */
  readonly after?: Edge;
  /** The secret may be in a sentence or a bracket without quotes: what closes those behind it is none of it. */
  readonly isBare?: boolean;
  /** The secret is base64, and may continue in lines that are as wide as its first one. */
  readonly isWrapped?: boolean;
  /** Least Shannon entropy of the secret, in bits a character; 3 if absent. */
  readonly entropy?: number;
  /** The checks that the secret must pass besides, by name. */
  readonly checks?: readonly CheckName[];
  /** `exact` if absent. */
  readonly certainty?: Certainty;
}

/** Named so that the rules stay data; `checks.ts` holds what they do. */
export type CheckName =
  | 'checksum'
  | 'random'
  | 'mixed'
  | 'jwt'
  | 'basic'
  | 'opaque'
  | 'no-uuid'
  | 'password'
  | 'placed'
  | 'cookie'
  | 'curl'
  | 'encoded-key'
  | 'beside-id'
  | 'discord'
  | 'telegram';

/** Characters of a word without quotes, in a shell or a file of settings; rules that are `isBare` are made of it. */
export const BARE = '[!#-&(-[\\]-_a-~]';

/** Longest match of any built-in rule but private key blocks, and so how far a decision can depend on what follows. */
export const LONGEST_MATCH = 16_384;
/** Longest text before a secret on which a decision can depend. */
export const LONGEST_CONTEXT = 4096;

/** A part of a text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A stretch of text that holds a secret. */
export interface Found extends Stretch {
  readonly rule: string;
  readonly certainty: Certainty;
  /** It is allowed, and only keeps its own place. */
  readonly allowed?: boolean;
  /** The text ended before it did. */
  readonly partial?: boolean;
  /** The secret itself, if an escape or a way to write it hides it. */
  readonly meant?: string;
  /** Of a private key: what is in front of each of its lines. */
  readonly linePrefix?: string;
}

/** A secret: from `start` to before `end`, in UTF-16 code units. */
export interface Finding {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  /** It goes to the end of a text that will continue, and is not whole. */
  readonly partial?: boolean;
  /** The secret itself, if it is not what is there. */
  readonly meant?: string;
}
