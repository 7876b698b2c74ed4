/** The hooks of pi: an extension of ctx's own. */
import { objectOf } from '../../core/json.ts';
import type { AgentHooks, Review } from '../contract/hook-settings.ts';
import { foldersAbove, readSettings } from '../shared/settings.ts';
import { EXTENSION } from './extension.ts';

/** Returns whether pi trusts the project, by the text of `trust.json`. */
export function trustOf([text = '']: readonly string[], _hooks: string, projects: readonly string[]): Review {
  const told = objectOf(readSettings(text)) ?? {};
  for (const project of projects) {
    for (const folder of foldersAbove(project)) {
      const trusted = told[folder];
      if (typeof trusted === 'boolean') return { events: null, trusted };
    }
  }
  return { events: null, trusted: null };
}

const AFTERWARDS = 'Restart pi, or type /reload: a running session does not load the extension.';

export const piHooks: AgentHooks = {
  agent: 'pi',
  title: 'pi',
  folder: '.pi',
  homeFolder: '.pi/agent',
  folderVariable: 'PI_CODING_AGENT_DIR',
  file: 'extensions/ctx.ts',
  program: 'pi',
  installation: { as: 'file', source: EXTENSION },
  review: { files: ['trust.json'], read: trustOf, remedy: 'Open pi in this project and trust it: /trust' },
  afterwards: {
    user: [AFTERWARDS],
    project: [
      AFTERWARDS,
      'pi runs the extensions of a project only if the project is trusted.',
      'Do not share the file: it names paths of this machine.',
    ],
  },
};
