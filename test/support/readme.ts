// Reads the code blocks of a Markdown text, runs those of a shell, and makes two outputs comparable.
import { spawnSync } from 'node:child_process';

/** A fenced block: the language behind its fence, and the lines in it. */
export interface Block {
  language: string;
  text: string;
  /** Its beginning in the whole text, and its end. */
  start: number;
  end: number;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The text between `<!-- name -->` and `<!-- /name -->`. */
export function between(markdown: string, name: string): string {
  const [, text] = markdown.split(new RegExp(`<!-- /?${name} -->\\n`));
  return text ?? '';
}

/** The rows of the tables in a text, cells without their backticks and escapes. */
export function rowsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  return rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

/** Commands that are run one after the other, with the block of output right behind them, if there is one. */
export interface Session {
  commands: string[];
  output: Block | undefined;
}

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The blocks of commands, in order. A line of npm or npx is not among the commands: it installs, builds or runs the tests. */
function shownSessions(markdown: string): (Session & { start: number })[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh') return [];
    const next = blocks[index + 1];
    const follows = next?.language === 'text' && markdown.slice(block.end, next.start).trim() === '';
    const commands = linesIn(block.text).filter((line) => !/^np[mx] /.test(line));
    return [{ start: block.start, commands, output: follows ? next : undefined }];
  });
}

/** Finds all that is to be run in a page, in order: blocks of commands, and `<!-- setup … -->`, which prepares a block for a reader. */
export function sessionsOf(markdown: string): Session[] {
  const hidden = [...markdown.matchAll(/^<!-- setup\n([\s\S]*?)^-->$/gm)].map((match) => ({
    start: match.index,
    commands: linesIn(match[1] ?? ''),
    output: undefined,
  }));
  return [...shownSessions(markdown), ...hidden].sort((one, other) => one.start - other.start);
}

/** The exit code that a command must have: what its line says, else 0. */
export const expectedExit = (command: string): number => Number(/# exit (\d+)$/.exec(command)?.[1] ?? 0);

/** Runs one line as a user would type it; gives both of its streams, as a terminal shows them. */
export function runLine(line: string, directory: string, environment: NodeJS.ProcessEnv) {
  const { status, stdout } = spawnSync('sh', ['-c', `exec 2>&1\n${line}`], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, output: stdout };
}

/** Checks if each run shows the same hashes: commands on the store that is shipped, which is the same to the last byte. */
export const hasFixedHashes = ({ commands }: Session): boolean =>
  commands.length > 0 && commands.every((command) => command.includes('.ctx-example'));

/** An output without what differs from run to run: folders, ids, times. */
export function comparable(output: string, home: string): string {
  return output
    .trimEnd()
    .replaceAll(home, '/home/you')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
    .replace(/\b[0-9a-f]{7,64}\b/g, '<hash or time>')
    .replace(/^([* ] )[0-9a-f]{6} {2}(just now|\d+ \w+ ago) +/gm, '$1<short id>  <age>  ')
    .replace(/(ctx resume |ctx switch |ID: |Ingested |Added to |child of |in it: )[0-9a-f]{6}\b/g, '$1<short id>')
    .replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?(Z| [+-]\d{4})/g, '<time>')
    .replace(/(?<=\bconversations\/)\d{4}-\d{2}-\d{2}/g, '<day>')
    .replace(/^(<hash or time> )\d{4}-\d{2}-\d{2} /gm, '$1<day> ')
    .replace(/\((just now|\d+ \w+ ago)\)/g, '(<age>)')
    .replace(/\b\d+ (second|minute|hour|day)s?( \d+ (second|minute|hour)s?)?\b/g, '<duration>')
    .replace(/"idle_secs":\d+/g, '"idle_secs":0');
}

const withoutBlocks = (markdown: string): string => markdown.replace(/^```\w*\n[\s\S]*?^```$/gm, '');

/** Finds the links of a page that lead to files of the project or to titles in the page. */
export function linksOf(markdown: string): string[] {
  const links = [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return links.filter((link) => !/^https?:/.test(link));
}

/** Lists the anchors of the titles of a page, as GitHub makes them. */
export function titlesOf(markdown: string): string[] {
  const titles = [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map((match) => (match[1] ?? '').toLowerCase());
  return titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}
