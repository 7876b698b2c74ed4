/** What pi writes in the user's name, up to 0.87 (its own program): it unfolds the skill and the files that they name. */
import { elementAt, type ForeignWords, tagNamed } from '../shared/own-words.ts';

const SKILL = /^<(skill)\s+name="([^"]*)"[^>]*>/;
const FILE = tagNamed('file(?=\\s+name=")');

/** `/skill:review staged files`, as the user typed it. */
function typedSkill(text: string): string | null {
  const skill = elementAt(text, SKILL);
  return skill ? `/skill:${SKILL.exec(text)?.[2] ?? ''} ${skill.rest.trim()}`.trim() : null;
}

/** A file alone is what the user asks; one with words behind it is what they are about. */
function typedFile(text: string): string | null {
  return elementAt(text, FILE)?.rest.trim() === '' ? text : null;
}

export const PI_FOREIGN: ForeignWords = {
  element: tagNamed('system[-_]reminder|file(?=\\s+name=")'),
  typed: (text) => typedSkill(text) ?? typedFile(text),
};
