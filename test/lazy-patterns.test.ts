// The bundle makes patterns when they are first used: what of a module is rewritten for that, and what stays as it is.
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const { lazyPatterns } = (await import(new URL('../.ci/lazy-patterns.mjs', import.meta.url).href)) as {
  lazyPatterns: (folder: string) => {
    transform: {
      handler: (this: { parse: typeof parseAst }, code: string, id: string) => { code: string } | null;
    };
  };
};

const rewritten = (code: string, id = '/src/a.ts'): string | undefined =>
  lazyPatterns('/src').transform.handler.call({ parse: parseAst }, code, id)?.code;

const MADE = 'let A$made;const A = () => (A$made ??= /x/y);';

test.each([
  ['a use', 'const f = (t) => A.test(t);', 'const f = (t) => A().test(t);'],
  ['its state', 'A.lastIndex = 3;', 'A().lastIndex = 3;'],
  ['an argument', 'f(A, [A]);', 'f(A(), [A()]);'],
  ['a value of an object', 'const o = { a: A };', 'const o = { a: A() };'],
  ['a use of another type', '(A as RegExp).test(t); A!.test(t);', '(A() as RegExp).test(t); A()!.test(t);'],
  ['a key and a property of that name', 'const o = { A: 1 }; o.A;', 'const o = { A: 1 }; o.A;'],
])('%s', (_, code, wanted) => {
  expect(rewritten(`const A = /x/y;\n${code}`)).toBe(`${MADE}\n${wanted}`);
});

test('a pattern that is put together', () => {
  const code = "const A = new RegExp('x', 'y');\nconst B = new RegExp(A.source);";
  expect(rewritten(code)).toBe(
    "let A$made;const A = () => (A$made ??= new RegExp('x', 'y'));\nlet B$made;const B = () => (B$made ??= new RegExp(A().source));",
  );
});

test.each([
  ['one that others see', 'export const A = /x/y; A.test(t);'],
  ['one that is exported later', 'const A = /x/y; export { A };'],
  ['one that can change', 'let A = /x/y; A.test(t);'],
  ['one of a function', 'function f() { const A = /x/y; A.test(t); }'],
  ['one whose name a parameter has', 'const A = /x/y; const f = (A) => A.test(t);'],
  ['one whose name another constant has', 'const A = /x/y; { const A = 1; f(A); }'],
  ['one in the short form of an object', 'const A = /x/y; const o = { A };'],
  ['something else', 'const A = f(/x/y); A.test(t);'],
])('%s stays as it is', (_, code) => {
  expect(rewritten(code)).toBe(code);
});

test('nothing of a package is rewritten', () => {
  expect(rewritten('const A = /x/y; A.test(t);', '/node_modules/b/a.ts')).toBeUndefined();
});
