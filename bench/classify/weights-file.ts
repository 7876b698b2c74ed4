/** How the weights are written: a table by the first character of a feature, so that little is searched for each. */

/** Records in a line of the file. */
const IN_LINE = 16;

/** `src/language/weights.ts` with these weights: `|feature<tab>weight<tab>weight<tab>weight` for each. @param weights by feature */
export function weightsFile(weights: ReadonlyMap<string, readonly number[]>): string {
  const beginnings = [...new Set([...weights.keys()].map((feature) => feature.charAt(0)))];
  const tables = beginnings.map((first) => {
    const own = [...weights].filter(([feature]) => feature.charAt(0) === first);
    return `  ${JSON.stringify(first)}: \`${tableOf(own)}\`,`;
  });
  const caption =
    '/** By the first character of a feature, and by it, its weights for Confirmation, Abandon and NewTask, in tenths; written by bench/classify/train.ts. */';
  const opening = 'export const WEIGHTS: Readonly<Record<string, string>> = {';
  return `${caption}\n${opening}\n${tables.join('\n')}\n};\n`;
}

function tableOf(weights: readonly (readonly [string, readonly number[]])[]): string {
  const records = weights.map(([feature, own]) => `|${[feature, ...own].join('\t')}`);
  const text = records.map((record, index) => (index % IN_LINE === 0 && index > 0 ? `\n${record}` : record)).join('');
  return text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
}
