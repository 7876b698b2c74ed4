/** Assembles a system prompt of its five sections, in the order that makes prompts of the same input equal. */
import { isObject, type JsonValue } from '../json.ts';

const SECTIONS = ['agent', 'project', 'skills', 'environment', 'tools'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** Facts for an environment section. */
export interface PromptEnvironment {
  platform: string;
  root: string;
  /** The lines of Git's status; null if there is no repository. */
  git: string | null;
  /** A day: 2026-01-22. */
  date: string;
  model: string | null;
  variant: string | null;
}

export interface PromptInput {
  agent: string;
  /** The instruction files of the project, outermost first. */
  project: readonly { path: string; text: string }[];
  skills: readonly { name: string; description: string }[];
  environment: PromptEnvironment;
  /** Tools with their JSON Schema; by name. */
  tools: readonly JsonValue[];
}

export interface PromptSection {
  name: SectionName;
  text: string;
}

/** The sections that have something in them, in their order. */
export function promptSections({ agent, project, skills, environment, tools }: PromptInput): PromptSection[] {
  const texts: Record<SectionName, string> = {
    agent: agent.trim(),
    project: project.map(({ path, text }) => `<!-- ${path} -->\n${text.trim()}`).join('\n\n'),
    skills: skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n'),
    environment: environmentText(environment),
    tools: tools.length === 0 ? '' : JSON.stringify(sorted([...tools].sort(byName)), null, 2),
  };
  return SECTIONS.map((name) => ({ name, text: texts[name] })).filter(({ text }) => text !== '');
}

const TITLES: Record<SectionName, string | null> = {
  agent: null,
  project: '# Project instructions',
  skills: '# Skills',
  environment: '# Environment',
  tools: '# Tools',
};

/** Joins sections to one prompt. */
export const promptText = (sections: readonly PromptSection[]): string =>
  sections
    .map(({ name, text }) => (TITLES[name] === null ? text : `${TITLES[name]}\n\n${text}`))
    .join('\n\n')
    .concat('\n');

function environmentText({ platform, root, git, date, model, variant }: PromptEnvironment): string {
  const lines = [`Platform: ${platform}`, `Workspace root: ${root}`];
  lines.push(git === null ? 'Git: no repository' : `Git status:\n${git.trimEnd() || 'clean'}`, `Date: ${date}`);
  if (model !== null) lines.push(`Model: ${model}${variant === null ? '' : ` (${variant})`}`);
  return lines.join('\n');
}

const nameOf = (tool: JsonValue): string => (isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '');
const byName = (a: JsonValue, b: JsonValue): number => (nameOf(a) < nameOf(b) ? -1 : 1);

/** A value whose keys are sorted at any depth: the order of a file's keys says nothing. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as JsonValue)]),
  );
}

/** Reads the name and the one-line description of a skill from the head of its file; null if the file has none. */
export function skillOf(text: string): { name: string; description: string } | null {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const field = (key: string): string | undefined => {
    const line = new RegExp(`^${key}:[ \\t]*(.+)$`, 'm').exec(head)?.[1]?.trim();
    return line?.replace(/^(["'])(.*)\1$/, '$2');
  };
  const [name, description] = [field('name'), field('description')];
  return name && description ? { name, description: description.replace(/\s+/g, ' ') } : null;
}
