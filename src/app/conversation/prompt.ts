/** `ctx prompt build`: the system prompt of the next request, from the agent's prompt, the project, skills, surroundings and tools. */
import { dirname, join, relative, resolve } from 'node:path';
import {
  type PromptEnvironment,
  type PromptSection,
  promptSections,
  promptText,
  skillOf,
} from '../../core/conversation/prompt.ts';
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonValue } from '../../core/json.ts';
import type { Session } from '../../core/session/session.ts';
import { currentRef } from '../../history/pointers/current.ts';
import type { Repository } from '../../history/store/repository.ts';
import { listFolder, readIfThere } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { answerOf } from '../../platform/program.ts';
import { observedSession } from '../session/observe.ts';
import { changeConversation } from './change.ts';
import { modelOf } from './context.ts';
import { loadConversation } from './load.ts';

export interface PromptOptions {
  /** The agent's own prompt. */
  agentPrompt?: string | undefined;
  /** The tools: a list, or an object of them by name, each with its JSON Schema. */
  tools?: unknown;
  /** The folder whose instructions count, with those of the folders around it; that of the store if absent. */
  directory?: string | undefined;
  /** Values for the section of the environment; an absent one is found out. */
  environment?: Partial<PromptEnvironment> | undefined;
  /** Folders of skills, each with a folder for each skill. */
  skillFolders?: readonly string[] | undefined;
  /** True if the next answers of the active session are recorded with the digest of the prompt. */
  record?: boolean | undefined;
}

export interface BuiltPrompt {
  text: string;
  /** SHA-256 of the text, hexadecimal. */
  digest: string;
  sections: PromptSection[];
  /** The files that were read. */
  files: string[];
  recorded: boolean;
}

/** Names of instruction files, in the order in which they are put together. */
const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'];
/** Largest file that is read, in bytes. */
const FILE_LIMIT = 1024 * 1024;
/** Folders of skills within a project. */
const SKILLS = [join('.agents', 'skills'), join('.claude', 'skills')];
/** Longest that Git may take for its status, in milliseconds. */
const GIT_TIME = 5000;

/** Builds a system prompt. @throws {CtxError} invalid_input, if the tools are none; io; with `record` also what a change throws */
export function buildPrompt(repository: Repository, options: PromptOptions = {}): BuiltPrompt {
  const directory = resolve(options.directory ?? dirname(repository.layout.root));
  const files: string[] = [];
  const project = instructionsOf(directory, files);
  const skills = skillsOf(options.skillFolders ?? SKILLS.map((folder) => join(directory, folder)), files);
  const environment = environmentOf(repository, directory, options.environment ?? {});
  const tools = toolsOf(options.tools);
  const sections = promptSections({ agent: options.agentPrompt ?? '', project, skills, environment, tools });
  const text = promptText(sections);
  const digest = sha256(Buffer.from(text));
  const built = { text, digest, sections, files, recorded: options.record === true };
  if (!options.record) return built;
  return changeConversation(repository, 'prompt build', () => ({
    records: [],
    session: { system_prompt_digest: digest } as Partial<Session>,
    result: built,
  }));
}

function read(path: string, files: string[]): string | null {
  const text = readIfThere(path, FILE_LIMIT)?.toString('utf8');
  if (text === undefined || text.trim() === '') return null;
  files.push(path);
  return text;
}

/** The instruction files of a folder and of those around it, outermost first; one that says the same as another counts once. */
function instructionsOf(directory: string, files: string[]): { path: string; text: string }[] {
  const folders: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    folders.unshift(at);
    if (dirname(at) === at) break;
  }
  const found = new Map<string, string>();
  for (const folder of folders)
    for (const name of INSTRUCTIONS) {
      const path = join(folder, name);
      const text = read(path, files);
      if (text !== null && ![...found.values()].includes(text)) found.set(path, text);
    }
  // A prompt says the same wherever the project is.
  return [...found].map(([path, text]) => ({ path: relative(directory, path), text }));
}

function skillsOf(folders: readonly string[], files: string[]): { name: string; description: string }[] {
  const found = new Map<string, string>();
  for (const folder of folders)
    for (const name of listFolder(folder)) {
      const skill = skillOf(read(join(folder, name, 'SKILL.md'), files) ?? '');
      if (skill && !found.has(skill.name)) found.set(skill.name, skill.description);
    }
  return [...found].map(([name, description]) => ({ name, description })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function environmentOf(repository: Repository, root: string, given: Partial<PromptEnvironment>): PromptEnvironment {
  const day = new Date(repository.clock() * 1000).toISOString().slice(0, 10);
  return {
    platform: given.platform ?? process.platform,
    root: given.root ?? root,
    git: given.git === undefined ? gitStatus(root) : given.git,
    date: given.date ?? day,
    ...modelGiven(repository, given),
  };
}

/** The model that is given; else that of the active session, with its variant. */
function modelGiven(
  repository: Repository,
  { model, variant = null }: Partial<PromptEnvironment>,
): Pick<PromptEnvironment, 'model' | 'variant'> {
  if (model !== undefined || currentRef(repository) === null) return { model: model ?? null, variant };
  const { session, conversation } = loadConversation(repository, observedSession(repository));
  return { model: modelOf(session, conversation), variant: variant ?? session.chosen_model?.variant ?? null };
}

/** The branch and the changed files, as Git says them; null without a repository. */
const gitStatus = (root: string): string | null =>
  answerOf(['git', '-C', root, 'status', '--porcelain=v1', '--branch'], GIT_TIME);

/** @throws {CtxError} invalid_input */
function toolsOf(given: unknown): JsonValue[] {
  if (given === undefined) return [];
  if (Array.isArray(given)) return given as JsonValue[];
  if (isObject(given as JsonValue))
    return Object.entries(given as Record<string, JsonValue>).map(([name, tool]) => ({
      name,
      ...(isObject(tool) ? tool : { schema: tool }),
    }));
  throw new CtxError('invalid_input', 'Tools are a list, or an object by name, of JSON Schemas.');
}
