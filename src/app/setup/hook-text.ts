/** Edits the text of an agent's hook file: a line for each event in the agent's settings, or a file of ctx's own. */
import type { HookInstallation } from '../../agents/contract/hook-settings.ts';
import { CtxError } from '../../core/errors.ts';
import { hookFile, hookFileState, installHookFile, isHookFile, uninstallHookFile } from '../../core/hook-file.ts';
import { hasPermissions } from '../../core/hook-line.ts';
import {
  type HookState,
  hasOwnHooks,
  hookState,
  installHooks,
  uninstallHooks,
  type WantedHook,
} from '../../core/hook-settings.ts';
import type { ForeignFile } from '../../platform/foreign-file.ts';

/**
 * Edits of a text; null is a missing file. Each throws `invalid_settings` if a text cannot be parsed, or is not ctx's
 * own.
 */
export interface HookText {
  install(text: string | null): string;
  /** @param before what was there before the first install */
  uninstall(text: string, before: string | null): string | null;
  state(text: string | null): HookState;
}

/** The two lines that call ctx: one answers questions for permissions, too. */
export interface HookCommands {
  plain: string;
  answering: string;
}

/**
 * Returns the edits for one agent.
 * @param file how messages name the file
 * @param permissions whether questions for permissions are answered; as the text has it if absent
 */
export function hookTextOf(
  installation: HookInstallation,
  commands: HookCommands,
  file: string,
  permissions?: boolean,
): HookText {
  if (installation.as === 'server') throw new CtxError('bug', 'A server has no line of hooks');
  const isAnswering = (text: string | null): boolean => permissions ?? hasPermissions(text ?? '');
  if (installation.as === 'file') {
    const { source, comment } = installation;
    const wanted = (text: string | null): string =>
      hookFile(source, isAnswering(text) ? commands.answering : commands.plain, comment);
    return {
      install: (text) => installHookFile(text, wanted(text), file),
      uninstall: (text) => uninstallHookFile(text, file),
      state: (text) => hookFileState(text, wanted(text), file),
    };
  }
  const wanted = (text: string | null): WantedHook[] =>
    installation.events
      .filter((event) => event.permissions !== 'only' || isAnswering(text))
      .map(({ permissions: way, ...event }) => ({
        ...event,
        command: way !== undefined && isAnswering(text) ? commands.answering : commands.plain,
      }));
  const settings = { file, shape: installation.shape };
  return {
    install: (text) => installHooks(text ?? '', wanted(text), settings),
    uninstall: (text, before) => uninstallHooks(text, before, wanted(text), settings),
    state: (text) => hookState(text ?? '', wanted(text), settings),
  };
}

/** Returns whether a text already has hooks of ctx, of any version. */
export const hasOwnText = (installation: HookInstallation, text: string): boolean =>
  installation.as === 'server'
    ? installation.text({ node: '', program: '' }, '').state(text) !== 'none'
    : installation.as === 'file'
      ? isHookFile(text)
      : hasOwnHooks(text, installation.shape);

/** Decodes a file; undefined if there is none. @throws {CtxError} invalid_settings */
export function textOf({ path, content }: ForeignFile): string | undefined {
  if (content === null) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    throw new CtxError('invalid_settings', `${path}, line 1: it is not UTF-8`, {
      hint: 'Nothing was changed. Correct the file and run the command again.',
      cause: error,
    });
  }
}
