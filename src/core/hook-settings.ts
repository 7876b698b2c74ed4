/** An agent's settings with the hooks of ctx in them, or without: from text to text, everything else byte for byte as it was. */
import { CtxError } from './errors.ts';
import { isHookLine } from './hook-line.ts';
import type { JsonObject } from './json.ts';
import { addChild, lineAt, type Node, propertiesOf, readJsonc, removeChild, replaceNode } from './jsonc.ts';

/** One hook as it must be in the settings. */
export interface WantedHook {
  event: string;
  /** Absent if it is called for every case of the event. */
  matcher?: string | undefined;
  command: string;
  /** In the agent's own unit. */
  timeout: number;
}

/**
 * The shape of hooks in the settings.
 * - `grouped`: `{hooks: {<event>: [{matcher, hooks: [{type, command, timeout}]}]}}`
 * - `listed`: `{version: 1, hooks: {<event>: [{command, timeout}]}}`
 */
export type SettingsShape = 'grouped' | 'listed';

/**
 * - `partly`: some of the hooks are missing; `outdated`: all are there, and some not as they must be.
 * - `changed`: somebody has changed a file of ours, and nobody knows what it does now.
 */
export type HookState = 'current' | 'outdated' | 'partly' | 'changed' | 'none';

/** The version that settings of the shape `listed` must name. */
const LISTED_VERSION = 1;

/** A hook of ours in a text: the command, and all that holds it. In a list, the command is a group of its own. */
interface OwnHook {
  event: { node: Node; key: string; value: Node };
  group: Node;
  handlers: Node;
  handler: Node;
}

/** Parts of `hooks` that are somebody else's, even if nothing is in them. */
type Foreign = { hooks: boolean; events: readonly string[] };

const NOTHING_FOREIGN: Foreign = { hooks: false, events: [] };
const BYTE_ORDER_MARK = '\ufeff';

const valueUnder = (object: Node, key: string): Node | undefined =>
  object.type === 'object' ? propertiesOf(object).findLast((property) => property.key === key)?.value : undefined;

const hasPlaceFor = (node: Node | undefined, type: Node['type']): node is Node => node?.type === type;

/** A document that was read, and its `hooks`. */
class Document {
  readonly text: string;
  readonly file: string;
  readonly shape: SettingsShape;
  readonly root: Node | undefined;
  readonly hooks: Node | undefined;

  constructor(text: string, file: string, shape: SettingsShape) {
    this.text = text;
    this.file = file;
    this.shape = shape;
    try {
      this.root = readJsonc(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw refused(file, error.message);
    }
    if (this.root && this.root.type !== 'object') this.refuse(this.root, 'it is not a JSON object');
    this.hooks = this.root && this.only(this.root, 'hooks');
  }

  refuse(node: Node, why: string): never {
    throw refused(this.file, `line ${lineAt(this.text, node.offset)}: ${why}`);
  }

  /** Returns the value of a key that must not be there twice: programs differ in which one counts. */
  only(object: Node, key: string): Node | undefined {
    const [first, second] = propertiesOf(object).filter((property) => property.key === key);
    if (second) this.refuse(second.node, `"${key}" is there twice`);
    return first?.value;
  }

  /** Every hook of ours, in the order of the text. */
  own(): OwnHook[] {
    if (!hasPlaceFor(this.hooks, 'object')) return [];
    return propertiesOf(this.hooks).flatMap((event) =>
      itemsOf(event.value).flatMap((group) => {
        const isListed = this.shape === 'listed';
        const handlers = isListed ? event.value : valueUnder(group, 'hooks');
        return (isListed ? [group] : itemsOf(handlers))
          .filter((handler) => isHookLine(String(valueUnder(handler, 'command')?.value)))
          .map((handler) => ({ event, group, handlers: handlers as Node, handler }));
      }),
    );
  }
}

const itemsOf = (node: Node | undefined): readonly Node[] => (node?.type === 'array' ? (node.children ?? []) : []);

function refused(file: string, why: string): CtxError {
  return new CtxError('invalid_settings', `${file}, ${why}`, {
    hint: 'Nothing was changed. Correct the file and run the command again.',
  });
}

/** Checks if a hook is under the event, and for the tools, that it is wanted for. */
function isFor({ event, group }: OwnHook, want: WantedHook): boolean {
  const matcher = valueUnder(group, 'matcher')?.value;
  return event.key === want.event && (want.matcher ?? '') === (matcher === '*' ? '' : (matcher ?? ''));
}

/** Returns the JSON of a hook. */
const handlerOf = (want: WantedHook, shape: SettingsShape): Record<string, string | number> => ({
  ...(shape === 'grouped' && { type: 'command' }),
  command: want.command,
  timeout: want.timeout,
});

/** Corrects one thing of a hook in the text; returns undefined if the hook is as it must be. */
function corrected(document: Document, { handler }: OwnHook, want: WantedHook): string | undefined {
  const { text, root, shape } = document;
  for (const [key, value] of Object.entries(handlerOf(want, shape))) {
    const node = valueUnder(handler, key);
    if (!node) return addChild(text, root as Node, handler, value, key);
    if (node.value !== value) return replaceNode(text, node, value);
  }
  return undefined;
}

/** Adds one more hook to the text, or what is to hold that hook. */
function withHook(document: Document, want: WantedHook): string {
  const { text, root, hooks, shape } = document;
  if (!root) {
    const lineEnd = /\r\n|\n/.exec(text)?.[0] ?? '\n';
    return `${text}${/(^|[\r\n])$/.test(text) ? '' : lineEnd}{}${lineEnd}`;
  }
  if (shape === 'listed' && !document.only(root, 'version'))
    return addChild(text, root, root, LISTED_VERSION, 'version');
  if (!hooks) return addChild(text, root, root, {}, 'hooks');
  if (!hasPlaceFor(hooks, 'object')) document.refuse(hooks, '"hooks" must be an object of events');
  const event = document.only(hooks, want.event);
  if (!event) return addChild(text, root, hooks, [], want.event);
  if (!hasPlaceFor(event, 'array')) document.refuse(event, `"${want.event}" must be a list of hooks`);
  const handler = handlerOf(want, shape);
  const matcher: JsonObject = want.matcher === undefined ? {} : { matcher: want.matcher };
  return addChild(
    text,
    root,
    event,
    shape === 'listed' ? { ...matcher, ...handler } : { ...matcher, hooks: [handler] },
  );
}

/** The text without a hook of ours, nor what then holds nothing any more and is not somebody else's. */
function withoutHook({ text, root, hooks }: Document, own: OwnHook, foreign: Foreign): string {
  const alone = (node: Node): boolean => node.children?.length === 1;
  if (!alone(own.handlers)) return removeChild(text, own.handlers, own.handler);
  if (!alone(own.event.value) || foreign.events.includes(own.event.key)) {
    return removeChild(text, own.event.value, own.group);
  }
  if (!hooks || !root) return text;
  if (!alone(hooks) || foreign.hooks) return removeChild(text, hooks, own.event.node);
  return removeChild(text, root, hooks.parent as Node);
}

/** Takes one step towards what is wanted; returns undefined if nothing is left to do. */
function step(document: Document, wanted: readonly WantedHook[], foreign: Foreign): string | undefined {
  const missing = new Set(wanted);
  for (const own of document.own()) {
    const want = wanted.find((candidate) => missing.has(candidate) && isFor(own, candidate));
    if (!want) return withoutHook(document, own, foreign);
    missing.delete(want);
    const better = corrected(document, own, want);
    if (better !== undefined) return better;
  }
  const [first] = missing;
  return first && withHook(document, first);
}

/** Takes step after step until nothing is left to do: so that doing it again changes nothing. */
function settle(
  given: string,
  wanted: readonly WantedHook[],
  foreign: Foreign,
  { file, shape = 'grouped' }: Settings,
): string {
  const mark = given.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  let text = given.slice(mark.length);
  for (;;) {
    const next = step(new Document(text, file, shape), wanted, foreign);
    if (next === undefined) return mark + text;
    text = next;
  }
}

/** Whose text it is: how messages name the file, and the shape of hooks in it. */
export interface Settings {
  file: string;
  /** `grouped` if absent. */
  shape?: SettingsShape | undefined;
}

/**
 * The settings with every wanted hook in them and no other of ours; what is there already stays in its place.
 * @throws {CtxError} invalid_settings, naming the line, if the text cannot be read or has no place for hooks
 */
export function installHooks(text: string, wanted: readonly WantedHook[], settings: Settings): string {
  return settle(text, wanted, NOTHING_FOREIGN, settings);
}

/**
 * The settings without any hook of ours.
 * @param before the text before the first install; null if there was none
 * @returns `before` itself if only our hooks have come to it, so null if there was no file and nothing is left
 * @throws {CtxError} invalid_settings, if the text cannot be read
 */
export function uninstallHooks(
  text: string,
  before: string | null,
  wanted: readonly WantedHook[],
  settings: Settings,
): string | null {
  const { shape } = settings;
  if (isInstalledFrom(text, before ?? '', wanted, shape)) return before;
  const foreign = before === null || hasOwnHooks(before, shape) ? NOTHING_FOREIGN : foreignIn(before, shape);
  const bare = settle(text, [], foreign, settings);
  const left = hasVersion(before ?? '', settings) ? bare : withoutVersion(bare, before === null, settings);
  return withoutNothing(left, before, settings);
}

const hasVersion = (text: string, { shape }: Settings): boolean => {
  const root = orNothing(() => documentOf(text, { file: '', shape }).root);
  return shape !== 'listed' || (root !== undefined && valueUnder(root, 'version') !== undefined);
};

/**
 * The text without the version that an install has put there, unless hooks of somebody else need it now.
 * @param isGuess whether it may have been there before: it is removed only if nothing else is left
 */
function withoutVersion(given: string, isGuess: boolean, settings: Settings): string {
  const { text, root, hooks } = documentOf(given, settings);
  const version = root && propertiesOf(root).find(({ key }) => key === 'version');
  if (!version || hooks || version.value.value !== LISTED_VERSION) return given;
  if (isGuess && root.children?.length !== 1) return given;
  return given.slice(0, given.length - text.length) + removeChild(text, root, version.node);
}

/** Removes an object that holds nothing, if an install has made it; returns null if the install has made the file, too. */
function withoutNothing(given: string, before: string | null, settings: Settings): string | null {
  const { text, root } = documentOf(given, settings);
  const stood = orNothing(() => documentOf(before ?? '', settings).root ?? null);
  // An install ends its line, which somebody's own object need not do.
  const made = root && /^\{\s*\}\r?\n/.exec(text.slice(root.offset))?.[0];
  if (!made || stood !== null) return given;
  const left = text.slice(0, root.offset) + text.slice(root.offset + made.length);
  if (before === null) return left.trim() === '' ? null : given;
  return given.slice(0, given.length - text.length) + left;
}

/** Checks if a text is what an install has made of another, whichever version of ctx has done it. */
function isInstalledFrom(text: string, before: string, wanted: readonly WantedHook[], shape?: SettingsShape): boolean {
  const settled = (of: string): string | undefined => orNothing(() => installHooks(of, wanted, { file: '', shape }));
  const now = settled(text);
  return now !== undefined && !hasOwnHooks(before, shape) && now === settled(before);
}

function foreignIn(before: string, shape?: SettingsShape): Foreign {
  const hooks = orNothing(() => documentOf(before, { file: '', shape }).hooks);
  return hooks ? { hooks: true, events: propertiesOf(hooks).map(({ key }) => key) } : NOTHING_FOREIGN;
}

/** Undefined if a text cannot be read, or is not what it must be. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

const documentOf = (text: string, { file, shape = 'grouped' }: Settings): Document =>
  new Document(text.replace(BYTE_ORDER_MARK, ''), file, shape);

/** Checks if a text has any hook of ours in it; one that cannot be read has none that we could know. */
export function hasOwnHooks(text: string, shape?: SettingsShape): boolean {
  return (orNothing(() => documentOf(text, { file: '', shape }).own()) ?? []).length > 0;
}

/** Returns the state of our hooks in the settings. @throws {CtxError} invalid_settings, as `installHooks` */
export function hookState(text: string, wanted: readonly WantedHook[], settings: Settings): HookState {
  const own = documentOf(text, settings).own();
  if (installHooks(text, wanted, settings) === text) return 'current';
  if (own.length === 0) return 'none';
  return wanted.every((want) => own.some((hook) => isFor(hook, want))) ? 'outdated' : 'partly';
}
