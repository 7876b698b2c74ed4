/** Classes of characters to build patterns from, written out: V8 takes half a millisecond for each `\p{…}` of a pattern, at every start. */

/** Unicode's control characters (Cc): C0, DEL and C1. */
export const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;

/** Characters that turn the direction of writing (Unicode's Bidi_Control). */
export const BIDI_CONTROL = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
