/** Edits the text of an agent's hook file: a line for each event in the agent's settings, or a file of ctx's own. */
import type { HookInstallation } from '../../agents/contract/hook-settings.ts';
import { CtxError } from '../../core/errors.ts';
import { hookFile, hookFileState, installHookFile, isHookFile, uninstallHookFile } from '../../core/hook-file.ts';
import { type HookState, hasOwnHooks, hookState, installHooks, uninstallHooks } from '../../core/hook-settings.ts';
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

/**
 * Returns the edits for one agent.
 * @param command the line that calls ctx
 * @param file how messages name the file
 */
export function hookTextOf(installation: HookInstallation, command: string, file: string): HookText {
  if (installation.as === 'server') throw new CtxError('bug', 'A server has no line of hooks');
  if (installation.as === 'file') {
    const wanted = hookFile(installation.source, command);
    return {
      install: (text) => installHookFile(text, wanted, file),
      uninstall: (text) => uninstallHookFile(text, file),
      state: (text) => hookFileState(text, wanted, file),
    };
  }
  const wanted = installation.events.map((event) => ({ ...event, command }));
  const settings = { file, shape: installation.shape };
  return {
    install: (text) => installHooks(text ?? '', wanted, settings),
    uninstall: (text, before) => uninstallHooks(text, before, wanted, settings),
    state: (text) => hookState(text ?? '', wanted, settings),
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
