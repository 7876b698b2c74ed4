/** Reads what an agent runs with from the files of the project: the command of a prompt, its instructions, its MCP servers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from '../../agents/starts.ts';
import { isObject, parseJson } from '../../core/json.ts';
import type { Session } from '../../core/session/session.ts';
import { readIfThere } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';

/** Fields that are kept of it with a session. */
export type Configuration = Partial<Pick<Session, 'command' | 'system_prompt' | 'mcp_servers'>>;

/** Largest file that is read, in bytes: the agent waits. */
const FILE_LIMIT = 256 * 1024;
/** Most servers that are kept. */
const MOST_SERVERS = 50;

/** Reads a small file; null if there is none, or it cannot be read. */
function contentOf(project: string, path: string): Buffer | null {
  try {
    return readIfThere(join(project, path), FILE_LIMIT) ?? null;
  } catch {
    return null;
  }
}

/** Returns the first of some files as a system prompt; undefined if none exists. */
function promptIn(project: string, paths: readonly string[]): Session['system_prompt'] {
  for (const path of paths) {
    const content = contentOf(project, path);
    if (content !== null) return { sha256: sha256(content), path };
  }
  return undefined;
}

function serversIn(text: string, key: string, as: 'json' | 'toml'): string[] {
  if (as === 'toml') {
    const tables = text.matchAll(/^\s*\[([\w-]+)\.(?:"([^"\]]+)"|([\w-]+))/gm);
    return [...tables].flatMap(([, table, quoted, bare]) => (table === key ? [(quoted ?? bare) as string] : []));
  }
  try {
    const root = parseJson(text);
    const servers = isObject(root) ? root[key] : undefined;
    return isObject(servers) ? Object.keys(servers) : [];
  } catch {
    return [];
  }
}

/** A command in front of a prompt: `/workspace.brainstorm the API`. */
const COMMAND = /^\/([A-Za-z][\w:.-]{0,100})(?=\s|$)/;

/** Returns the configuration of an agent as a conversation begins. @param prompt the first prompt; empty if there is none */
export function configurationOf(project: string, agent: string, prompt: string): Configuration {
  const start = startOf(agent);
  if (!start) return {};
  const name = COMMAND.exec(prompt.trimStart())?.[1];
  const ofCommand = name === undefined ? undefined : promptIn(project, start.commandFiles(name));
  // A command may be the user's, a plugin's or the agent's own; a prompt may begin with the path of a file.
  const isCommand = name !== undefined && (ofCommand !== undefined || !existsSync(`/${name}`));
  const system_prompt = ofCommand ?? promptIn(project, start.instructions);
  const servers = start.servers.flatMap(({ path, key, as }) => {
    const content = contentOf(project, path);
    return content === null ? [] : serversIn(content.toString('utf8'), key, as);
  });
  const mcp_servers = [...new Set(servers)].slice(0, MOST_SERVERS);
  return {
    ...(isCommand && { command: `/${name}` }),
    ...(system_prompt && { system_prompt }),
    ...(mcp_servers.length > 0 && { mcp_servers }),
  };
}
