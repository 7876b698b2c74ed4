/** A record from outside with its path, its command, its output and its text in the form in which they are kept, so that two can be compared. */
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { toldPath } from '../session/snapshot.ts';
import { COMPARED_OUTPUT } from './observed-deeds.ts';

export function asKept(repository: Repository, body: object): object {
  const { path, command, output, content } = body as { [field: string]: unknown };
  const { text } = redactionFor(repository);
  const { project } = repository;
  return {
    ...body,
    ...(typeof path === 'string' && { path: toldPath(path, project, text) }),
    ...(typeof command === 'string' && { command: text(command) }),
    ...(typeof content === 'string' && content.length <= COMPARED_OUTPUT && { content: text(content) }),
    ...(typeof output === 'string' && output.length <= COMPARED_OUTPUT && { output: text(output) }),
  };
}
