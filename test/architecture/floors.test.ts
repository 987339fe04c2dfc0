import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { projectFiles } from './files.ts';
import { type Source, sources } from './tree.ts';

/** Who may import whom, besides itself. Reading order is building order: each stands only on the ones named beside it. */
const base = ['runtime/base'];
const core = [...base, 'runtime/timeline', 'runtime/channels'];
const tools = [...core, 'runtime/tools', 'supervisor/protocol'];
const engine = [...tools, 'runtime/sdk', 'runtime/engine'];
const everything = [
  ...engine,
  'runtime/adapters',
  'runtime/gateway',
  'runtime/client',
  'supervisor',
];
const floors: Record<string, readonly string[]> = {
  'runtime/base': [],
  'supervisor/protocol': base,
  'runtime/timeline': base,
  'runtime/channels': base,
  'runtime/client': base,
  'runtime/tools': tools,
  'runtime/sdk': tools,
  'runtime/engine': engine,
  'runtime/adapters': [...engine, 'supervisor'],
  'runtime/gateway': [...engine, 'runtime/client'],
  supervisor: [...tools, 'runtime/sdk'],
  executor: [],
  'runtime/cli': everything,
  'runtime/testing': [...everything, 'runtime/cli'],
  bundles: [],
};

/** Beside its sub-folders. */
const filesMax = 20;

const all = sources();

// proves: house.floors
test('every import goes down', () => {
  const climbs = all.flatMap(({ file, imports }) =>
    imports.filter((target) => !allowed(file, target)).map((target) => `${file} -> ${target}`),
  );
  expect(climbs).toEqual([]);
});

test('adapters do not import each other', () => {
  const folder = (file: string) => /^runtime\/adapters\/[^/]+/.exec(file)?.[0];
  const meetings = all.flatMap(({ file, imports }) =>
    imports
      .filter((target) => folder(file) && folder(target) && folder(file) !== folder(target))
      .map((target) => `${file} -> ${target}`),
  );
  expect(meetings).toEqual([]);
});

test('bundles import the sdk, zod and themselves', () => {
  const foreign = all
    .filter(({ file }) => file.startsWith('bundles/') && !file.endsWith('.test.ts'))
    .flatMap(({ file, packages }) =>
      packages
        .filter((name) => !['timeloom/sdk', 'zod'].includes(name))
        .map((name) => `${file} -> ${name}`),
    );
  expect(foreign).toEqual([]);
});

// proves: house.floors
test('there are no import cycles, type imports included', () => {
  expect(cycles(all)).toEqual([]);
});

// proves: house.floors
test('no two folders import each other, a folder and its parent included', () => {
  const arrows = new Map<string, string>();
  for (const { file, imports } of all) {
    for (const target of imports) {
      const [from, to] = [dirname(file), dirname(target)];
      if (from !== to) arrows.set(`${from} -> ${to}`, `${file} -> ${target}`);
    }
  }
  const pairs = [...arrows].flatMap(([arrow, example]) => {
    const back = arrows.get(arrow.split(' -> ').reverse().join(' -> '));
    return back === undefined ? [] : [`${example}, but ${back}`];
  });
  expect(pairs).toEqual([]);
});

// proves: house.floors
test('no folder has more files than a reader can see at once', () => {
  const sizes = new Map<string, number>();
  for (const { file } of projectFiles()) {
    if (/^(?:runtime|supervisor|executor|bundles|deploy|test)\//.test(file))
      sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  }
  const large = [...sizes].filter(([, files]) => files > filesMax);
  expect(large).toEqual([]);
});

function floorOf(file: string): string | undefined {
  return Object.keys(floors)
    .filter((floor) => file.startsWith(`${floor}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function allowed(file: string, target: string): boolean {
  const from = floorOf(file);
  const to = floorOf(target);
  if (from === undefined) return true;
  if (from === 'bundles') return bundleOf(file) === bundleOf(target);
  return from === to || (to !== undefined && (floors[from] ?? []).includes(to));
}

function bundleOf(file: string): string | undefined {
  return /^bundles\/[^/]+/.exec(file)?.[0];
}

function cycles(files: readonly Source[]): readonly string[] {
  const graph = new Map(files.map(({ file, imports }) => [file, imports]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
