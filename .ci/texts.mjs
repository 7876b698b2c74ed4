// Reads the comments and strings of a TypeScript file, without a parser: the check that uses them has a second at most.

/** Code after which a regular expression may begin; behind all else, `/` divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of|await|yield|else|do|void))\s*$/;

/** Code that gives a test its name. */
const NAMES_TEST = /\b(?:it|test|describe)(?:\.\w+)*\(\s*$|\.each\b[\s\S]{0,4000}\)\(\s*$/;

/** Code whose string is the path of a module. */
const NAMES_MODULE = /\b(?:from|import)\s*\(?\s*$/;

const LITERAL = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const PATTERN = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/y;

/** Blanks the marks of a comment, so that a sentence over two lines is one text with its lines kept. */
const wordsOf = (comment) => comment.replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)/gm, '').replace(/\*\/$/, '');

/** Returns `{ kind, text, line }` for every comment and string of a source; a template gives one text, `…` for its values. */
export function texts(source) {
  const found = [];
  let at = 0;
  let line = 1;
  /** Code before the place that is read, strings and comments left out. */
  let code = '';

  const take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source)?.[0];
    if (match !== undefined) advance(match.length);
    return match;
  };
  const advance = (length) => {
    for (const end = at + length; at < end; at += 1) if (source[at] === '\n') line += 1;
  };
  const kindOf = () => (NAMES_TEST.test(code) ? 'test name' : 'string');

  /** Reads a template from its first backquote to its last, and the strings within its values. */
  const template = () => {
    const [kind, start] = [kindOf(), line];
    let text = '';
    advance(1);
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        advance(2);
        code += '(';
        codeUntil('}');
        text += '…';
      } else {
        const length = source[at] === '\\' ? 2 : 1;
        text += source.slice(at, at + length);
        advance(length);
      }
    }
    advance(1);
    found.push({ kind, text, line: start });
    code += '``';
  };

  /** Reads code until a brace that closes it, or to the end of the source. */
  const codeUntil = (end) => {
    for (let depth = 0; at < source.length; ) {
      const start = line;
      const comment = source[at] === '/' ? take(COMMENT) : undefined;
      if (comment !== undefined) {
        const caption = comment.startsWith('/**') || code.trim() === '';
        found.push({ kind: caption ? 'caption' : 'comment', text: wordsOf(comment), line: start });
        continue;
      }
      const literal = take(LITERAL);
      if (literal !== undefined) {
        if (!NAMES_MODULE.test(code)) found.push({ kind: kindOf(), text: literal.slice(1, -1), line: start });
        code += "''";
        continue;
      }
      if (source[at] === '`') template();
      else if (source[at] === '/' && BEFORE_PATTERN.test(code.slice(-40)) && take(PATTERN) !== undefined) code += '0';
      else {
        const character = source[at];
        if (character === '{') depth += 1;
        if (character === '}' && depth === 0 && end === '}') return advance(1);
        if (character === '}') depth -= 1;
        code += character;
        if (code.length > 20_000) code = code.slice(-4200);
        advance(1);
      }
    }
  };

  codeUntil(null);
  return found;
}
