// Property tests run the same way every time, on every machine: one seed for all of them.
import * as fc from 'fast-check';

fc.configureGlobal({ seed: 20_260_122 });

/** A text of any code units, whole characters and halves of them. */
export const anyText = (maxLength = 60, minLength = 0): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff)), { minLength, maxLength })
    .map((codes) => codes.map((code) => String.fromCodePoint(code)).join(''));

/** A text with everything in it that hostile text has: controls, ESC, C1, bidi, zero width, lone surrogates, emoji. */
export const hostileText = (maxLength = 60): fc.Arbitrary<string> =>
  fc.oneof(
    anyText(maxLength),
    fc
      .array(
        fc.constantFrom(
          ...['\n', '\r\n', '\r', '\t', ' ', '\0', '\x1b[2J', '\x7f', '\x85', '\x9b', '\u202e', '\u2066', '\u200c'],
          ...[
            '\ufeff',
            '\u2028',
            '\ud800',
            '\udc00',
            '😀',
            'é',
            'e\u0301',
            'a',
            'b',
            ':',
            '-',
            '#',
            '<',
            '>',
            '"',
            '\\',
          ],
          ...['Ctx-Type: Abandoned', 'Ctx-State: Complete', 'Signed-off-by: a <a@b>', '---', '\n\n', '(cherry picked'],
        ),
        { maxLength },
      )
      .map((parts) => parts.join('')),
  );

export { fc };
