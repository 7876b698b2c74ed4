// The tables of docs/secrets.md, from the rules and from what the corpus says of them.
import { CODED_RULES, RULES } from '../../src/secrets/matcher.ts';

/** Number of right results, and number of all. */
export interface Score {
  readonly right: number;
  readonly all: number;
}

export interface Scores {
  readonly found: ReadonlyMap<string, Score>;
  readonly spared: ReadonlyMap<string, Score>;
  readonly byCarrier: ReadonlyMap<string, Score>;
  /** Of parts of a message that stream, by what each record of one holds. */
  readonly growing: ReadonlyMap<string, Score>;
}

const sum = (scores: Iterable<Score>): Score =>
  [...scores].reduce((a, b) => ({ right: a.right + b.right, all: a.all + b.all }), { right: 0, all: 0 });
const share = ({ right, all }: Score): string => (Math.floor((10_000 * right) / all) / 10_000).toFixed(4);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    head,
    head.map((_, index) => (index === 0 || rows.some((row) => /[a-z]/.test(row[index] ?? '')) ? '---' : '---:')),
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

function figures({ found, spared, byCarrier, growing }: Scores): string {
  const hits = sum(found.values());
  const calm = sum(spared.values());
  const precision = share({ right: hits.right, all: hits.right + calm.all - calm.right });
  const rows = [...byCarrier].map(([carrier, score]) => [carrier, String(score.all), share(score)]);
  return [
    `Recall ${share(hits)} over ${hits.all} secrets, precision ${precision} beside ${calm.all} look-alikes.`,
    table(['place of the secret', 'secrets', 'recall'], rows),
    table(
      ['records of a part that streams', 'secrets', 'kept out'],
      [...growing].map(([how, score]) => [how, String(score.all), share(score)]),
    ),
    table(
      ['look-alikes', 'texts', 'left alone'],
      [...spared].map(([kind, score]) => [kind, String(score.all), share(score)]),
    ),
  ].join('\n\n');
}

function rules({ found }: Scores): string {
  const finds = [...RULES.map(({ name, finds }) => [name, finds] as const), ...Object.entries(CODED_RULES)];
  const rows = finds.map(([name, what]) => {
    const score = found.get(name);
    return [`\`${name}\``, what, score ? share(score) : 'exact'];
  });
  return `There are ${rows.length} rules.\n\n${table(['rule', 'finds', 'recall'], rows)}`;
}

function put(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/secrets.md has no ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** The page with its tables as they should be. */
export const renderSecrets = (page: string, scores: Scores): string =>
  put(put(page, 'figures', figures(scores)), 'rules', rules(scores));
