/** Asks on a terminal which session to resume: type to search, arrows to choose. */
import { emitKeypressEvents } from 'node:readline';
import { ofProject, type ResumableLine } from '../../app/resume/resumable.ts';
import { colours, PLAIN, type Theme } from '../frame/theme.ts';
import { LEAST_SAID, matcher, type SearchSaid } from './match.ts';
import { screen } from './screen.ts';
import { type Key, newPicker, type Picker, press, type Scope, type Search } from './state.ts';

/** The terminal of a picker: keys come from one stream, the picture goes to another. */
export interface PickTerminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** The terminal that ctx runs on; standard output stays free for the answer. */
const OWN: PickTerminal = { input: process.stdin, output: process.stderr };

/** Searches what was said: returns the ids of sessions, or none once it is aborted. */
export type AskSaid = (text: string, signal: AbortSignal) => readonly string[] | Promise<readonly string[]>;

/** Pause of typing after which what was said is searched, in milliseconds. */
const PAUSE = 80;

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[0J';

/** Returns the codes that take the cursor back over a picture of so many lines. */
const back = (lines: number): string => (lines > 1 ? `\r\u001b[${lines - 1}A` : '\r');

/**
 * Lets the user choose one of some sessions.
 * @param now Unix seconds
 * @param project the paths of the project that the user is in
 * @returns null if they leave without a choice
 */
export async function pickSession(
  rows: readonly ResumableLine[],
  now: number,
  project: readonly string[],
  said?: AskSaid,
  { input, output }: PickTerminal = OWN,
): Promise<ResumableLine | null> {
  const theme: Theme = process.env['NO_COLOR'] ? PLAIN : await colours();
  const own = rows.filter(ofProject(project));
  /** Results of searches in what was said: one takes longer than a key may, so none is waited for. */
  const known = new Map<string, readonly string[]>();
  const saidSoFar: SearchSaid = (text) => known.get(text) ?? [];
  const searches: Record<Scope, (query: string) => ResumableLine[]> = {
    project: matcher(own, saidSoFar),
    all: matcher(rows, saidSoFar),
  };
  const search: Search = (query, scope) => searches[scope](query);
  let picker: Picker = newPicker(search, own.length > 0 ? 'project' : 'all');
  let drawn = 0;
  const draw = (): void => {
    const size = { columns: output.columns || 80, rows: output.rows || 24 };
    const lines = screen(picker, size, now, theme);
    output.write(`${drawn > 0 ? back(drawn) : HIDE}${CLEAR_BELOW}${lines.join('\n')}`);
    drawn = lines.length;
  };
  let pause: NodeJS.Timeout | undefined;
  let running: AbortController | undefined;
  const stopSearching = (): void => {
    clearTimeout(pause);
    running?.abort();
  };
  const searchSaid = (): void => {
    stopSearching();
    const query = picker.query.trim();
    if (!said || query.length < LEAST_SAID || known.has(query)) return;
    pause = setTimeout(async () => {
      running = new AbortController();
      const { signal } = running;
      const ids = await said(query, signal);
      if (signal.aborted) return;
      known.set(query, ids);
      picker = { ...picker, rows: search(picker.query, picker.scope) };
      draw();
    }, PAUSE);
  };
  const wasRaw = input.isRaw;
  emitKeypressEvents(input);
  input.setRawMode?.(true);
  input.resume();
  try {
    draw();
    // The first key finds the texts that are searched, which take longer to make than a key may.
    setImmediate(() => void search('aa', picker.scope));
    return await new Promise<ResumableLine | null>((resolve) => {
      const leave = (): void => {
        stopSearching();
        input.off('keypress', take);
        output.off('resize', draw);
        resolve(picker.ended?.chosen ?? null);
      };
      const take = (text: string | undefined, key: Key): void => {
        picker = press(
          picker,
          { ...key, text: key.name === undefined || text?.length === 1 || !key.ctrl ? text : undefined },
          search,
        );
        if (picker.ended) leave();
        else draw();
        if (!picker.ended) searchSaid();
      };
      input.on('keypress', take);
      input.once('end', () => {
        picker = { ...picker, ended: { chosen: null } };
        leave();
      });
      output.on('resize', draw);
    });
  } finally {
    output.write(`${back(drawn)}${CLEAR_BELOW}${SHOW}`);
    input.setRawMode?.(wasRaw);
    input.pause();
  }
}
