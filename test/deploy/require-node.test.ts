import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

// proves: house.node
test.each(['start', 'test', 'check', 'build', 'bench', 'long'])(
  'deploy/%s.mjs requires a supported Node before it does anything else',
  (name) => {
    const text = readFileSync(join(root, 'deploy', `${name}.mjs`), 'utf8');
    const calls = text.split('\n').filter((line) => /^(?:await )?\w+\(/.test(line));
    expect(calls[0]).toBe('await requireNode();');
    const imports = [...text.matchAll(/^import .* from '(?!node:)(.*)';$/gm)].map(
      ([, from]) => from,
    );
    expect(imports.every((from) => from?.startsWith('./'))).toBe(true);
  },
);
