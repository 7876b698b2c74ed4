/** Redacts files that a user has mentioned, in the form that Gemini CLI gives the model: below the prompt, each below its name. */
import { isSecretPath } from './file-references.ts';
import { withholdFrom } from './withheld-marker.ts';

/** A text that only says which file the next one is of. */
export const MENTIONED = /^\s{0,8}Content from (@[^\n]{1,4200}):\s{0,8}$/;
/** Beginning of the contents, if all are in one text. */
const BEGIN = '--- Content from referenced files ---';
const PART = /^(?=Content from @[^\n]{1,4200}:\r?$|--- End of content ---\r?$)/m;
const NAME = /^Content from (@[^\n]{1,4200}):\r?\n/;

/** A text without what it shows of such files that are known to hold secrets; the same text if it shows nothing. */
export function withoutMentioned(text: string): string {
  if (!text.includes(BEGIN)) return text;
  return text
    .split(PART)
    .map((part) => {
      const [header = '', path] = NAME.exec(part) ?? [];
      if (path === undefined || !isSecretPath(path)) return part;
      const told = part.slice(header.length).trimEnd();
      return header + withholdFrom(told) + part.slice(header.length + told.length);
    })
    .join('');
}
