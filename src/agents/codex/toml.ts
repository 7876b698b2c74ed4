/** Reads TOML, in which Codex keeps its settings; loaded by the doctor alone. */
import { parse, TomlError, type TomlTable } from 'smol-toml';

/**
 * What a TOML text says.
 * @throws {SyntaxError} beginning with the number of the line; it quotes nothing, since keys for services stand in such files
 */
export function readToml(text: string): TomlTable {
  try {
    // An integer that no number holds is still valid.
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines around the place stand behind the reason.
    const [told = ''] = error.message.split('\n');
    const reason = told.replace(/^Invalid TOML document: /, '');
    throw new SyntaxError(`line ${error.line}: it is not TOML (${reason})`);
  }
}
