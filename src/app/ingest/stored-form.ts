/** Converts the path, command, output and content of an incoming record to their stored form, so that two records can be compared. */
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { statedPath } from '../session/snapshot.ts';
import { COMPARED_OUTPUT } from './observed-deeds.ts';

export function storedForm(repository: Repository, body: object): object {
  const { path, command, output, content } = body as { [field: string]: unknown };
  const { text } = redactionFor(repository);
  const { project } = repository;
  return {
    ...body,
    ...(typeof path === 'string' && { path: statedPath(path, project, text) }),
    ...(typeof command === 'string' && { command: text(command) }),
    ...(typeof content === 'string' && content.length <= COMPARED_OUTPUT && { content: text(content) }),
    ...(typeof output === 'string' && output.length <= COMPARED_OUTPUT && { output: text(output) }),
  };
}
