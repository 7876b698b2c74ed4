// Property tests run the same way every time, on every machine: one seed for all of them.
import * as fc from 'fast-check';

fc.configureGlobal({ seed: 20_260_122, verbose: 1 });

/** A text with everything in it that hostile text has: controls, ESC, C1, bidi, zero width, lone surrogates, emoji. */
export const hostileText = (maxLength = 60): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }),
    fc.string({
      unit: fc.constantFrom(
        ...['\n', '\r\n', '\r', '\t', ' ', '\0', '\x1b[2J', '\x7f', '\x85', '\x9b', '\u202e', '\u2066', '\u200c'],
        ...['\ufeff', '\u2028', '\ud800', '\udc00', '😀', 'é', 'e\u0301', 'a', 'b', ':', '-', '#', '<', '>', '"', '\\'],
        ...['Ctx-Type: Abandoned', 'Ctx-State: Complete', 'Signed-off-by: a <a@b>', '---', '\n\n', '(cherry picked'],
      ),
      maxLength,
    }),
  );

export { fc };
