/** Reads a shell command into the simple commands in it, wherever they are: in lists, pipes, subshells and substitutions. */

/** A word without its quotes. */
export interface Word {
  text: string;
  /** Part of it that only the shell will know: nothing, its content, or even the number of words it becomes. */
  open: 'no' | 'one' | 'many';
  /** True if it is open only because a placeholder in its text may be replaced. */
  isFilled?: boolean;
}

/** One program with its arguments. */
export interface SimpleCommand {
  words: readonly Word[];
  /** Names of the variables that are set for it. */
  assigned: readonly string[];
  /** Files that its output is redirected to. */
  written: readonly Word[];
  /** Its input, if the text holds it: here-documents and here-strings. */
  input?: string;
}

export interface ShellReading {
  commands: SimpleCommand[];
  /** True if all of the text was understood. */
  isWhole: boolean;
}

/** Most simple commands, and deepest nesting, that are read: what has more is not understood. */
const COMMANDS_LIMIT = 500;
const DEPTH_LIMIT = 20;

/** Words that begin or continue a compound command, and are followed by a command. */
const OPENERS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{']);
/** Words that end a compound command. */
const CLOSERS = new Set(['fi', 'done', '}']);
/** Words that begin what is not read. */
const UNREAD = new Set(['case', 'esac', 'select', '[[']);
/** `time` as a word of the shell: a compound command, or a negated one, follows. */
const TIMED = /^time(?:[ \t]+-p)?(?:[ \t]+--)?[ \t]+(?=[({!])/;

/** Most characters in which a command is searched for behind `time`. */
const TIMED_LIMIT = 100;

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;
/** Files of output that nobody keeps. */
const NO_FILE = /^(?:\/dev\/(?:null|stdout|stderr|tty)|&?(?:\d+|-))$/;

/** Reads a shell command. */
export function readShell(text: string, depth = 0): ShellReading {
  const reader = new ShellReader(text, depth);
  reader.list(null);
  return { commands: reader.commands, isWhole: reader.isWhole };
}

interface Draft {
  words: Word[];
  assigned: string[];
  written: Word[];
  input?: string;
}

const wider = (one: Word['open'], other: Word['open']): Word['open'] =>
  one === 'many' || other === 'many' ? 'many' : one === 'one' || other === 'one' ? 'one' : 'no';

class ShellReader {
  readonly commands: SimpleCommand[] = [];
  isWhole = true;
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #draft: Draft = { words: [], assigned: [], written: [] };
  /** Here-documents whose text begins after this line. */
  #here: { end: string; isPlain: boolean; isIndented: boolean; of: Draft }[] = [];

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
    if (depth > DEPTH_LIMIT) this.#giveUp();
  }

  /** Reads a list of commands up to a closing parenthesis, or to the end. */
  list(closing: ')' | null): void {
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === ')' && closing === ')') {
        this.#at += 1;
        this.#finish();
        return;
      }
      this.#token(char);
    }
    this.#finish();
    if (closing !== null || this.#here.length > 0) this.isWhole = false;
  }

  #token(char: string): void {
    if (char === '\n') {
      this.#at += 1;
      this.#finish();
      this.#hereDocuments();
    } else if (/[ \t]/.test(char)) this.#at += 1;
    else if (this.#text.startsWith('\\\n', this.#at)) this.#at += 2;
    else if (char === '#') this.#skipTo('\n');
    else if (this.#text.startsWith('&>', this.#at)) this.#redirect();
    else if (/[;&|]/.test(char)) {
      this.#at += 1;
      this.#finish();
    } else if (char === '(') this.#parenthesis();
    else if (char === ')') {
      this.#at += 1;
      this.isWhole = false;
      this.#finish();
    } else if (/[<>]/.test(char) && !/^[<>]\(/.test(this.#text.slice(this.#at, this.#at + 2))) this.#redirect();
    else this.#argument();
  }

  #skipTo(char: string): void {
    const end = this.#text.indexOf(char, this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #skipBlanks(): void {
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #giveUp(): void {
    this.isWhole = false;
    this.#at = this.#text.length;
  }

  /** A subshell; behind a word it is a function, or a list of values, which are not read. */
  #parenthesis(): void {
    if (this.#draft.words.length > 0 || this.#draft.assigned.length > 0) {
      this.isWhole = false;
      this.#finish();
    }
    if (this.#text.startsWith('((', this.#at)) this.isWhole = false;
    this.#at += 1;
    this.#nested();
  }

  /** Reads a list of its own up to its closing parenthesis. */
  #nested(): void {
    const inner = new ShellReader(this.#text, this.#depth + 1);
    if (inner.isWhole) {
      inner.#at = this.#at;
      inner.list(')');
    }
    this.#at = Math.max(this.#at, inner.#at);
    this.#take(inner);
  }

  #take({ commands, isWhole }: ShellReading): void {
    this.commands.push(...commands);
    this.isWhole &&= isWhole;
    if (this.commands.length > COMMANDS_LIMIT) this.#giveUp();
  }

  #finish(): void {
    const draft = this.#draft;
    this.#draft = { words: [], assigned: [], written: [] };
    if (draft.words.length + draft.assigned.length + draft.written.length > 0)
      this.#take({ commands: [draft], isWhole: true });
  }

  #argument(): void {
    const { words, assigned } = this.#draft;
    const from = this.#at;
    const timed = words.length + assigned.length > 0 ? null : TIMED.exec(this.#text.slice(from, from + TIMED_LIMIT));
    if (timed) {
      this.#at += timed[0].length;
      return;
    }
    const word = this.#word();
    const raw = this.#text.slice(from, this.#at);
    if (/^\d+$/.test(raw) && /[<>]/.test(this.#text.charAt(this.#at))) return;
    if (words.length > 0) {
      words.push(word);
      return;
    }
    const name = ASSIGNMENT.exec(raw)?.[1];
    if (name !== undefined) assigned.push(name);
    else if (raw === 'for') this.#loopHeader();
    else if (raw === 'coproc') this.isWhole = false;
    else if (raw === 'function') {
      this.isWhole = false;
      this.#skipBlanks();
      this.#word();
    } else if (UNREAD.has(raw)) {
      this.isWhole = false;
      words.push(word);
    } else if (!OPENERS.has(raw) && !CLOSERS.has(raw)) words.push(word);
  }

  /** Reads `for name in words`, which runs nothing but the substitutions in the words. */
  #loopHeader(): void {
    this.#skipBlanks();
    this.#draft.assigned.push(/^\w*/.exec(this.#text.slice(this.#at, this.#at + 100))?.[0] ?? '');
    while (this.#at < this.#text.length && !/[;\n]/.test(this.#text.charAt(this.#at))) {
      if (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
      else if (/[()<>&|]/.test(this.#text.charAt(this.#at))) {
        this.isWhole = false;
        return;
      } else this.#word();
    }
  }

  #redirect(): void {
    const operator =
      /^(?:&>>?|<<<|<<-?|<>|<&|<|>>|>\||>&|>)/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? '>';
    this.#at += operator.length;
    this.#skipBlanks();
    const from = this.#at;
    const target = this.#word();
    const raw = this.#text.slice(from, this.#at);
    if (raw === '') this.isWhole = false;
    else if (operator === '<<' || operator === '<<-')
      this.#here.push({
        end: target.text,
        isPlain: raw !== target.text,
        isIndented: operator === '<<-',
        of: this.#draft,
      });
    else if (operator === '<<<') {
      if (target.open === 'no') this.#draft.input = `${target.text}\n`;
    } else if (operator.includes('>') && !(target.open === 'no' && NO_FILE.test(target.text)))
      this.#draft.written.push(target);
  }

  #hereDocuments(): void {
    for (const { end, isPlain, isIndented, of } of this.#here.splice(0)) {
      of.input = '';
      let isOver = false;
      while (!isOver && this.#at < this.#text.length) {
        const from = this.#at;
        this.#skipTo('\n');
        const line = this.#text.slice(from, this.#at);
        this.#at += 1;
        isOver = (isIndented ? line.replace(/^\t+/, '') : line) === end;
        if (!isOver) of.input += `${line}\n`;
        if (!isOver && !isPlain) this.#expansionsIn(line);
      }
      if (!isOver) this.isWhole = false;
    }
  }

  /** Reads the substitutions in a text in which nothing else counts. One that is open at its end is not understood. */
  #expansionsIn(text: string): void {
    const inner = new ShellReader(`"${text.replaceAll(/(?<!\\)"/g, String.raw`\"`)}"`, this.#depth + 1);
    if (inner.isWhole) inner.#word();
    this.#take(inner);
  }

  #word(): Word {
    let [text, open]: [string, Word['open']] = ['', 'no'];
    const add = (more: string, how: Word['open'] = 'no'): void => {
      text += more;
      open = wider(open, how);
    };
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      const next = this.#text.charAt(this.#at + 1);
      if (/[ \t\n;&|)]/.test(char) || (char === '(' && !/[?@+!*]$/.test(text))) break;
      if (/[<>]/.test(char) && next !== '(') break;
      this.#at += 1;
      if (char === '\\') {
        this.#at += 1;
        if (next !== '\n') add(next);
      } else if (char === "'") add(this.#quotedPlain());
      else if (char === '"') this.#quoted(add);
      else if (char === '$') this.#dollar(add, 'many');
      else if (char === '`') this.#backticks(add, 'many');
      else if (char === '(' || /[<>]/.test(char)) {
        // A process substitution, or a pattern of extended globs.
        if (char !== '(') this.#at += 1;
        else this.isWhole = false;
        this.#nested();
        add('', 'one');
      } else add(char, /[*?[]/.test(char) ? 'many' : char === '{' && isBrace(this.#text, this.#at) ? 'many' : 'no');
    }
    return { text, open };
  }

  #quotedPlain(): string {
    const from = this.#at;
    this.#skipTo("'");
    if (this.#at >= this.#text.length) this.isWhole = false;
    const text = this.#text.slice(from, this.#at);
    this.#at += 1;
    return text;
  }

  #quoted(add: (more: string, how?: Word['open']) => void): void {
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === '"') return;
      if (char === '$') this.#dollar(add, 'one');
      else if (char === '`') this.#backticks(add, 'one');
      else if (char === '\\') {
        const next = this.#text.charAt(this.#at);
        this.#at += 1;
        if (next !== '\n') add(/[$`"\\]/.test(next) ? next : `\\${next}`);
      } else add(char);
    }
    this.isWhole = false;
  }

  #backticks(add: (more: string, how?: Word['open']) => void, how: Word['open']): void {
    const end = /^(?:[^`\\]|\\[\s\S])*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += end.length + 1;
    if (this.#at > this.#text.length) this.isWhole = false;
    this.#take(readShell(end.replaceAll(/\\([`$\\])/g, '$1'), this.#depth + 1));
    add('', how);
  }

  /** Reads what a dollar sign begins. */
  #dollar(add: (more: string, how?: Word['open']) => void, how: Word['open']): void {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest.startsWith('((')) {
      // Arithmetic runs only the substitutions in it, and ends with two parentheses.
      this.#braced(/[()]/, '(', ')');
      add('', how);
    } else if (rest.startsWith('(')) {
      this.#at += 1;
      this.#nested();
      add('', how);
    } else if (rest.startsWith('{')) {
      this.#braced(/[{}]/, '{', '}');
      add('', how);
    } else if (rest.startsWith("'") && how === 'many') {
      this.#at += 1;
      const from = this.#at;
      this.#at += /^(?:[^'\\]|\\[\s\S])*/.exec(this.#text.slice(from))?.[0].length ?? 0;
      const text = this.#text.slice(from, this.#at);
      if (this.#at >= this.#text.length) this.isWhole = false;
      this.#at += 1;
      add(text, text.includes('\\') ? 'one' : 'no');
    } else if (/^[\w@*#?$!-]/.test(rest)) {
      this.#at += /^(?:[A-Za-z_]\w*|.)/.exec(this.#text.slice(this.#at))?.[0].length ?? 1;
      add('', how);
    } else add(rest.startsWith('"') ? '' : '$');
  }

  /** Reads balanced brackets, and the substitutions within them. */
  #braced(brackets: RegExp, opening: string, closing: string): void {
    const from = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text.charAt(this.#at);
      if (char === '\\') this.#at += 1;
      else if (brackets.test(char)) depth += char === opening ? 1 : char === closing ? -1 : 0;
      if (depth === 0) break;
    }
    if (depth > 0) this.isWhole = false;
    const inside = this.#text.slice(from + 1, this.#at);
    this.#at += 1;
    if (/[$`]/.test(inside)) this.#expansionsIn(inside);
  }
}

/** Checks if a brace at a position begins a list or a range of words. */
const isBrace = (text: string, at: number): boolean => /^[^\s{}]*(?:,|\.\.)[^\s{}]*\}/.test(text.slice(at, at + 500));
