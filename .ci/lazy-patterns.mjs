// Patterns of modules are made when they are first used: V8 reads each that it makes, and a hook uses few of the six hundred.
import { join, sep } from 'node:path';
import { EditedCode } from './edited-code.mjs';

const isNode = (value) => typeof value?.type === 'string';

/** Calls `visit` for every node below one, with the node above it and its key there. */
function walk(node, visit) {
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      visit(child, node, key);
      walk(child, visit);
    }
  }
}

const isPattern = (value) =>
  (value?.type === 'Literal' && value.regex !== undefined) ||
  (value?.type === 'NewExpression' && value.callee.name === 'RegExp');

/** The declarations `const NAME = /…/;` of a module, by name: those that nothing outside it sees. */
function patternsOf(program) {
  const alone = program.body.filter(({ type, kind, declarations }) => {
    return type === 'VariableDeclaration' && kind === 'const' && declarations.length === 1;
  });
  const named = alone.filter(({ declarations: [{ id, init }] }) => id.type === 'Identifier' && isPattern(init));
  return new Map(named.map((statement) => [statement.declarations[0].id.name, statement]));
}

/** Checks if an identifier stands for the value of its name, and not for a key or a name that is made. */
function isUse(above, key) {
  if (above.type === 'MemberExpression' && key === 'property') return above.computed;
  // `NAME as RegExp` is a use, and a type of that name is none.
  if (above.type.startsWith('TS')) return key === 'expression';
  return !(above.type === 'Property' && key === 'key' && !above.computed);
}

/** Checks if a name may be something else: where it is any of these, its pattern stays as it is. */
const isOdd = (above, key) =>
  above.type.startsWith('Export') ||
  above.shorthand === true ||
  (above.type === 'VariableDeclarator' && key === 'id') ||
  key === 'params' ||
  above.type === 'TSTypeQuery';

/** A plugin that makes `const NAME = /…/` of a module a function, and asks it wherever the name is used. */
export function lazyPatterns(folder) {
  return {
    name: 'lazy-patterns',
    transform: {
      filter: { id: /\.ts$/ },
      handler(code, id) {
        if (!id.startsWith(join(folder, sep))) return null;
        const program = this.parse(code, { lang: 'ts' });
        const patterns = patternsOf(program);
        const uses = [];
        walk(program, (node, above, key) => {
          if (node.type !== 'Identifier' || !patterns.has(node.name)) return;
          const own = patterns.get(node.name).declarations[0];
          if (node === own.id) return;
          if (isOdd(above, key)) patterns.delete(node.name);
          else if (isUse(above, key)) uses.push(node);
        });
        const edits = uses.filter(({ name }) => patterns.has(name)).map(({ end }) => ({ at: end, text: '()' }));
        for (const { start, declarations } of patterns.values()) {
          const [{ id: own, init }] = declarations;
          edits.push({ at: start, text: `let ${own.name}$made;` });
          edits.push({ at: init.start, text: `() => (${own.name}$made ??= ` }, { at: init.end, text: ')' });
        }
        const { code: made, mappings } = new EditedCode(code).edit(edits);
        return { code: made, map: { version: 3, sources: [id], names: [], mappings } };
      },
    },
  };
}
