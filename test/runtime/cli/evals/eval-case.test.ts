import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCases } from '../../../../runtime/cli/evals/eval-case.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-cases-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

// proves: eval.cases
test('cases are read from every YAML file, and a single text stands for a list', () => {
  const folder = folderWith({
    'a.yaml':
      'agent: desk/main\ncases:\n  - { name: one, input: Hello, checks: { contains: Hi } }\n',
    'b.yaml': 'cases:\n  - { name: two, input: [Hello, And?], judge: It greets. }\n',
    'results.json': '{}',
  });
  expect(readCases(folder)).toMatchObject([
    { name: 'one', agent: 'desk/main', input: ['Hello'], checks: { contains: ['Hi'] } },
    { name: 'two', agent: undefined, input: ['Hello', 'And?'], judge: 'It greets.' },
  ]);
});

// proves: eval.cases
test.each([
  [
    'an unknown check',
    'cases:\n  - { name: a, input: b, checks: { contain: c } }\n',
    /a\.yaml:2.*contain/s,
  ],
  ['no input', 'cases:\n  - { name: a }\n', /a\.yaml:2.*input/s],
  [
    'a wrong pattern',
    'cases:\n  - { name: a, input: b, checks: { matches: "(" } }\n',
    /regular expression/,
  ],
  [
    'a name twice',
    'cases:\n  - { name: a, input: b }\n  - { name: a, input: b }\n',
    /two cases are named “a”/,
  ],
  ['no case', '', /a\.yaml/],
])('%s is refused, with the place', (_, text, problem) => {
  expect(() => readCases(folderWith({ 'a.yaml': text }))).toThrow(problem);
});

// proves: eval.cases
test('a folder without cases, and one that cannot be read, are refused', () => {
  expect(() => readCases(folderWith({}))).toThrow(/no cases; write some into/);
  expect(() => readCases('/nowhere/cases')).toThrow(/cannot read the folder/);
});
