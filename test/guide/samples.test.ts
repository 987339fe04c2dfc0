import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../architecture/tree.ts';

const folder = join(root, 'docs/guide');
const fence = /^```(?:ts|jsx|python|js(?= ))(?: (\S+))?\n([\s\S]*?)^```$/gm;

const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(fence)].map(
      ([, file = '', code = '']) => ({ page, file, code }),
    ),
  );

test('every TypeScript and Python sample of the guide is part of a file that is checked and tested', () => {
  const unknown = samples.filter(
    ({ file, code }) => file === '' || !readFileSync(sourceOf(file), 'utf8').includes(code),
  );
  expect(unknown).toEqual([]);
  expect(samples.length).toBeGreaterThan(5);
});

// proves: house.samples
test('every function and every member of ctx has a sample', () => {
  const code = samples.map((sample) => sample.code).join('\n');
  const reference = ['sdk', 'client', 'client-react', 'testing', 'channels'].map((page) =>
    readFileSync(join(root, `docs/reference/api/${page}.md`), 'utf8'),
  );
  const values = reference.flatMap((page) => {
    const [, section = ''] =
      /^## Functions and values\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
    return [...section.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  });
  const [sdk = ''] = reference;
  const members = ['Context', 'TurnContext', 'ToolContext', 'RequestContext'].flatMap((name) => {
    const [, body = ''] =
      new RegExp(`^interface ${name}[^\\n]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(sdk) ?? [];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[<(:]/gm)].map(([, member = '']) => member);
  });
  expect([values.length > 25, members.length > 20]).toEqual([true, true]);
  const without = [
    ...values.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
    ...members.filter((name) => !code.includes(`ctx.${name}`)).map((name) => `ctx.${name}`),
  ];
  expect(without).toEqual([]);
});

/** Examples are bundles of the project; other samples are beside this test. */
function sourceOf(file: string): string {
  return join(file.startsWith('bundles/') ? root : import.meta.dirname, file);
}
