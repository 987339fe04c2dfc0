import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sources } from './tree.ts';

const all = sources();

/** Ports say what an adapter must do, so they may speak of promises. */
const ports = ['runtime/timeline/ports/store.ts', 'runtime/timeline/ports/blobs.ts'];

// proves: house.pure-core
test('the core does nothing but think: no waiting, clock, chance, environment or input and output', () => {
  const impure =
    /\bawait\b|\basync\b|Date\.now|new Date\(\)|performance\.now|Math\.random|randomUUID|process\.|console\.|setTimeout|from 'node:/;
  const offenders = all
    .filter(({ file }) => /^runtime\/(timeline|channels)\//.test(file) && !ports.includes(file))
    .filter(({ text }) => impure.test(withoutComments(text)))
    .map(({ file }) => file);
  expect(offenders).toEqual([]);
});

// proves: house.one-environment
test('the environment is read in one file', () => {
  const offenders = all
    .filter(({ file }) => file !== 'runtime/cli/config/config.ts' && !isRoot(file))
    .filter(({ text }) => /process\.env/.test(withoutComments(text)))
    .map(({ file }) => file);
  expect(offenders).toEqual([]);
});

// proves: house.quiet
test('nobody prints but the composition roots', () => {
  const offenders = all
    .filter(({ file }) => !file.startsWith('runtime/cli/') && !isRoot(file))
    .filter(({ text }) => /\bconsole\.|process\.std(out|err)\.write/.test(withoutComments(text)))
    .map(({ file }) => file);
  expect(offenders).toEqual([]);
});

// proves: house.sizes
test('no file is longer than 300 lines', () => {
  const long = [...all, ...sources(['test', 'deploy'])]
    .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300);
  expect(long).toEqual([]);
});

test('no file imports from more than 15 places', () => {
  const greedy = all
    .filter(({ file }) => !isRoot(file))
    .map(({ file, imports, packages }) => ({
      file,
      imports: new Set([...imports, ...packages]).size,
    }))
    .filter(({ imports }) => imports > 15);
  expect(greedy).toEqual([]);
});

// proves: house.unmuted
test('nobody mutes these rules', () => {
  const muted = [...all, ...sources(['test', 'deploy'])]
    .filter(({ file }) => file !== 'test/architecture/purity.test.ts')
    .filter(({ text }) =>
      /biome-ignore|(?:eslint|oxlint)-disable|@ts-(ignore|nocheck)|\.(skip|only|todo|skipIf|runIf)\(/.test(
        text,
      ),
    )
    .map(({ file }) => file);
  expect(muted).toEqual([]);
  const lint = readFileSync(join(root, 'test/tools/lint.json'), 'utf8');
  expect(lint).toMatch(/"maxLines": 60\b/);
  expect(lint).toMatch(/"maxAllowedComplexity": 12\b/);
});

function isRoot(file: string): boolean {
  return /(^|\/)main\.ts$/.test(file);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
}
