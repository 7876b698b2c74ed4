/** JSON with comments as text: read with the place of everything, and edited so that whatever is not edited stays byte for byte. */
// jsonc-parser gives the places of values. Its own edits are not used: they move and lose the comments around them.
import { createScanner, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { JsonValue } from './json.ts';

export type { Node };

/** A comma, as the scanner of jsonc-parser calls it. */
const COMMA = 5;

/** The line that an offset lies on, from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n|\n|\r/).length;

/**
 * Reads JSON with comments and trailing commas.
 * @returns undefined if there is nothing but white space and comments
 * @throws {SyntaxError} beginning with the number of the line
 */
export function readJsonc(text: string): Node | undefined {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SyntaxError('line 1: it is nested too deeply');
  }
  const [first] = errors;
  if (!first) return root;
  const words = printParseErrorCode(first.error)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
  throw new SyntaxError(`line ${lineAt(text, first.offset)}: it is not JSON (${words})`);
}

/** The properties of an object: the node of each, its key and its value. */
export function propertiesOf(object: Node): { node: Node; key: string; value: Node }[] {
  return (object.children ?? []).flatMap((node) => {
    const [key, value] = node.children ?? [];
    return key && value ? [{ node, key: String(key.value), value }] : [];
  });
}

/** Returns the plain value of a node. */
export const plainValue = (node: Node): JsonValue => getNodeValue(node) as JsonValue;

const endOf = (node: Node): number => node.offset + node.length;

/** Returns the place of the comma behind an offset, past white space and comments; undefined if something else comes first. */
function commaBehind(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

/** The offset behind the last character before `offset` that is no white space. */
function solidBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && ' \t\r\n'.includes(text[at - 1] as string)) at -= 1;
  return at;
}

/** The white space that the line of an offset begins with. */
function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return /^[ \t]*/.exec(before.slice(before.search(/[^\r\n]*$/)))?.[0] ?? '';
}

const standsFirst = (text: string, offset: number): boolean => /(^|[\r\n])[ \t]*$/.test(text.slice(0, offset));

/** Returns the layout of a text: its line ends and its indent. */
function layoutOf(text: string, root: Node): { lineEnd: string; unit: string } {
  const [first] = root.children ?? [];
  const outer = indentAt(text, root.offset);
  const inner = first && standsFirst(text, first.offset) ? indentAt(text, first.offset) : '';
  const unit = inner.startsWith(outer) && inner.length > outer.length ? inner.slice(outer.length) : '  ';
  return { lineEnd: /\r\n|\n/.exec(text)?.[0] ?? '\n', unit };
}

/**
 * Adds a value at the end of an array, or under a new key of an object: on lines of its own, or on the same line if all others
 * share one. Comments after the last value stay with that value; a trailing comma is added if the last value has one.
 */
export function addChild(text: string, root: Node, container: Node, value: JsonValue, key?: string): string {
  const { lineEnd, unit } = layoutOf(text, root);
  const outer = indentAt(text, container.offset);
  const last = container.children?.at(-1);
  const inner = last && standsFirst(text, last.offset) ? indentAt(text, last.offset) : outer + unit;
  const closer = endOf(container) - 1;
  const at = solidBefore(text, closer);
  const comma = last && commaBehind(text, endOf(last));
  const onOneLine = last && !/[\r\n]/.test(text.slice(container.offset, closer));
  const lines = JSON.stringify(value, null, onOneLine ? '' : unit).split('\n');
  const child = (key === undefined ? '' : `${JSON.stringify(key)}: `) + lines.join(lineEnd + inner);
  const needsComma = last && comma === undefined;
  const before = needsComma ? `${text.slice(0, endOf(last))},${text.slice(endOf(last), at)}` : text.slice(0, at);
  const closing = onOneLine || /[\r\n]/.test(text.slice(at, closer)) ? '' : lineEnd + outer;
  const opening = onOneLine ? ' ' : lineEnd + inner;
  return `${before}${opening}${child}${comma === undefined ? '' : ','}${closing}${text.slice(at)}`;
}

/** Puts a value in the place of another. */
export function replaceNode(text: string, node: Node, value: JsonValue): string {
  return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(endOf(node));
}

/** Takes a child out of its array or object: with its comma and its line, without any comment around it. */
export function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const previous = children[index - 1];
  const start = previous ? endOf(previous) : container.offset + 1;
  const closer = endOf(container) - 1;
  const after = commaBehind(text, endOf(child));
  // The last one without a comma of its own takes that of the one before it.
  const comma = after ?? (previous && commaBehind(text, endOf(previous)));
  const cuts: [from: number, to: number][] = [];
  const blanks = (offset: number): number => offset + (/^[ \t]*/.exec(text.slice(offset, closer))?.[0].length ?? 0);
  const joined = after !== undefined && text.slice(endOf(child), after).trim() === '';
  const end = joined ? after + 1 : endOf(child);
  const endsLine = /^[\r\n]/.test(text.slice(blanks(end)));
  // Text behind it on the same line must not slip into a comment before it.
  const bare = /^[\s,]*$/.test(text.slice(start, child.offset));
  if (endsLine || (bare && after === undefined)) cuts.push([solidBefore(text, child.offset), end]);
  else cuts.push([child.offset, joined ? blanks(end) : end]);
  if (comma !== undefined && !(joined && comma === after)) cuts.push([comma, comma + 1]);
  // If all that is left is on one line, so is the bracket behind it: `addChild` has put it on another.
  const isLine = previous && !/[\r\n]/.test(text.slice(container.offset, endOf(previous)));
  if (isLine && bare && child === children.at(-1)) {
    const [broken = ''] = /^\r?\n/.exec(text.slice(end, closer)) ?? [];
    const indent = broken + indentAt(text, container.offset);
    if (broken !== '' && text.startsWith(indent, end)) cuts.push([end, end + indent.length]);
  }
  let result = text;
  let left = closer;
  for (const [from, to] of cuts.sort((a, b) => b[0] - a[0])) {
    result = result.slice(0, from) + result.slice(to);
    left -= to - from;
  }
  const inside = result.slice(container.offset + 1, left);
  // Nothing is left in it: nor are its lines.
  if (children.length > 1 || inside.trim() !== '') return result;
  return result.slice(0, container.offset + 1) + result.slice(left);
}
