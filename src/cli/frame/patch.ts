/** Renders a unified patch: removed and added lines in colours. */
import type { Theme } from './theme.ts';

function paint(line: string, theme: Theme): string {
  if (line.startsWith('@@')) return theme.accent(line);
  if (line.startsWith('+')) return theme.good(line);
  return line.startsWith('-') ? theme.bad(line) : line;
}

/** A patch with the names of its two sides. */
export function patchText(before: string, after: string, patch: string, theme: Theme): string {
  const lines = patch
    .split('\n')
    .slice(0, -1)
    .map((line) => `${paint(line, theme)}\n`);
  return `--- ${before}\n+++ ${after}\n${lines.join('')}`;
}
