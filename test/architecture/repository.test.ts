import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFiles, topLevel } from './files.ts';
import { root, sources } from './tree.ts';

const kept = [
  'LICENSE',
  'README.md',
  'bundles',
  'deploy',
  'docs',
  'executor',
  'package-lock.json',
  'package.json',
  'runtime',
  'supervisor',
  'test',
  'tsconfig.json',
];

// proves: house.sizes
test('the top of the project holds what it is made of and nothing else', () => {
  expect(topLevel().filter((name) => !name.startsWith('.'))).toEqual(kept);
});

// proves: house.documents
test('no file knows the machine it was written on, or where packages were fetched from', () => {
  const personal = /\/(?:home|Users)\/[a-z][\w.-]*\/|"resolved": "http|\bnpm config set registry/;
  const offenders = projectFiles()
    .filter(({ text }) => personal.test(text) || text.includes(`${root}/`))
    .map(({ file }) => file);
  expect(offenders.filter((file) => file !== 'test/architecture/repository.test.ts')).toEqual([]);
});

// proves: house.packages
test('every sub-path of the package leads to a source, and to the build of that source', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { 'timeloom-source': string; types: string; default: string }>;
  };
  expect(Object.keys(exports)).toEqual([
    ...['./sdk', './client', './client/react', './client/story', './channels', './testing'],
  ]);
  for (const paths of Object.values(exports)) {
    const from = paths['timeloom-source'];
    expect(existsSync(join(root, from)), from).toBe(true);
    const built = from.replace('./', './dist/').replace(/\.ts$/, '');
    expect([paths.types, paths.default]).toEqual([`${built}.d.ts`, `${built}.js`]);
  }
});

/** Of each port: how a test file shows that it runs the contract suite. */
const suites: Readonly<Record<string, string>> = {
  BlobStore: 'blobStoreContract(',
  Bus: 'busContract(',
  JobStore: 'jobStoreContract(',
  KeyValueStore: 'keyValueContract(',
  Model: "describe.each(Object.entries(openers))('the %s model'",
  Sandbox: 'execConformance(',
  TimelineStore: 'timelineStoreContract(',
};
const portFiles =
  /^runtime\/(timeline\/ports\/(store|blobs)|engine\/ports\/\w+|tools\/ports\/sandbox|sdk\/compile\/host\/key-value-store)\.ts$/;

// proves: house.contracts
test('every port has a contract suite', () => {
  const ports = sources()
    .filter(({ file }) => portFiles.test(file))
    .flatMap(({ text }) => [...text.matchAll(/^export interface (\w+)/gm)])
    .map(([, name = '']) => name);
  // What the engine offers to a sandbox is not a port of its own.
  expect(ports.filter((name) => name !== 'ExecHost').toSorted()).toEqual(Object.keys(suites));
});

// proves: house.contracts
test('every adapter runs the suite of each port that it opens', () => {
  const tests = sources(['test']).map(({ imports, text }) => ({ imports, text }));
  const missing = openers().filter(({ folder, port }) => {
    const runs = tests.filter(({ text }) => text.includes(suites[port] ?? port));
    return !runs.some(({ imports }) => imports.some((file) => file.startsWith(`${folder}/`)));
  });
  expect(missing).toEqual([]);
});

/** Folders of adapters with the ports that their exported functions open. */
function openers(): readonly { readonly folder: string; readonly port: string }[] {
  const opens =
    /^export (?:async )?function (?:open|create)\w+\([\s\S]*?\): (?:Promise<)?(?:\w+ & )*(BlobStore|Bus|JobStore|KeyValueStore|Model|Sandbox|TimelineStore)\b/gm;
  const found = sources(['runtime/adapters']).flatMap(({ file, text }) => {
    const folder = /^runtime\/adapters\/[^/]+/.exec(file)?.[0] ?? file;
    return [...text.matchAll(opens)].map(([, port = '']) => `${folder} ${port}`);
  });
  return [...new Set(found)].map((pair) => {
    const [folder = '', port = ''] = pair.split(' ');
    return { folder, port };
  });
}
