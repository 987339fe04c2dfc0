import { expect, test } from 'vitest';
import { config, inFolder, problems } from './config-kit.ts';

inFolder();

const bundles = `bundles:
  - { id: desk, path: ./desk, retention: { days: 30 } }
  - { id: shop, path: ./shop }
`;

// proves: retention.rules
test('the rule of the installation and those of its bundles are read', () => {
  const assembly = 'retention: { days: 10 }\n';
  const read = (files: Readonly<Record<string, string>>) => config(files).retention;
  expect(read({ 'assembly.yaml': assembly, 'bundles.yaml': bundles })).toEqual({
    days: 10,
    bundles: { desk: 30 },
  });
});

// proves: retention.rules
test('without a rule of the installation, only the bundles with a rule have one', () => {
  expect(config({ 'bundles.yaml': bundles }).retention).toEqual({
    days: undefined,
    bundles: { desk: 30 },
  });
});

// proves: retention.rules
test('without any rule nothing is erased', () => {
  expect(config({}).retention).toBeUndefined();
});

// proves: retention.rules
test.each(['{ days: 0 }', '{ days: 1.5 }', '{ months: 1 }', '10'])(
  'the rule %s is refused with its place',
  (rule) => {
    const [problem = ''] = problems({ 'assembly.yaml': `retention: ${rule}\n` });
    expect(problem).toMatch(/^assembly\.yaml:1: retention/);
  },
);
