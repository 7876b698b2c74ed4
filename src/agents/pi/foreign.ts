/** The texts that pi writes in the user's name, up to 0.87 (its own program): the skills and files that the user's words name. */
import { elementAt, type ForeignWords, tagNamed } from '../shared/own-words.ts';

const SKILL = /^<(skill)\s+name="([^"]*)"[^>]*>/;
const FILE = tagNamed('file(?=\\s+name=")');

/** Returns the command of a skill as the user typed it, such as `/skill:review staged files`. */
function typedSkill(text: string): string | null {
  const skill = elementAt(text, SKILL);
  return skill ? `/skill:${SKILL.exec(text)?.[2] ?? ''} ${skill.rest.trim()}`.trim() : null;
}

/** Returns a file that is the whole message; a file before other words is only what they are about. */
function typedFile(text: string): string | null {
  return elementAt(text, FILE)?.rest.trim() === '' ? text : null;
}

export const PI_FOREIGN: ForeignWords = {
  element: tagNamed('system[-_]reminder|file(?=\\s+name=")'),
  typed: (text) => typedSkill(text) ?? typedFile(text),
};
