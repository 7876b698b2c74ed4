/** How ctx stands in one file of an agent's: a line for each event in its settings, or a file of our own. */
import type { HookInstallation } from '../../agents/contract/hook-settings.ts';
import { CtxError } from '../../core/errors.ts';
import { hookFile, hookFileState, installHookFile, isHookFile, uninstallHookFile } from '../../core/hook-file.ts';
import { type HookState, hasOwnHooks, hookState, installHooks, uninstallHooks } from '../../core/hook-settings.ts';
import type { ForeignFile } from '../../platform/foreign-file.ts';

/** From text to text; null where there is no file. Each throws `invalid_settings` where a text cannot be read, or is not ours. */
export interface HookText {
  install(text: string | null): string;
  /** @param before what was there before the first install */
  uninstall(text: string, before: string | null): string | null;
  state(text: string | null): HookState;
}

/** @param command the line that tells ctx; @param file how messages name the file */
export function hookTextOf(installation: HookInstallation, command: string, file: string): HookText {
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

/** Whether ctx stands in a text already, in whatever version. */
export const hasOwnText = (installation: HookInstallation, text: string): boolean =>
  installation.as === 'file' ? isHookFile(text) : hasOwnHooks(text, installation.shape);

/** The text of a file; undefined where there is none. @throws {CtxError} invalid_settings */
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
