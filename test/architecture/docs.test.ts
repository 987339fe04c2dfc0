import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { manifestOf } from '../../runtime/cli/commands/bundle/package-manifest.ts';
import { Assembly, Bundles } from '../../runtime/cli/config/descriptors.ts';
import { Gateway } from '../../runtime/cli/config/gateway-schema.ts';
import { type ProjectFile, projectFiles } from './files.ts';
import { root } from './tree.ts';

// proves: house.documents

const pages = projectFiles('.md');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });

test('every link to a file or heading leads somewhere', () => {
  const broken = pages.flatMap((page) =>
    links(page)
      .filter((target) => !leads(page, target))
      .map((target) => `${page.file} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every npm command in the documents is a script, here or of a new bundle', async () => {
  const known = new Set([
    ...['audit', 'ci', 'i', 'init', 'install', 'pack', 'run', 'sbom'],
    ...Object.keys(scripts),
    ...Object.keys(Scripts.parse(await manifestOf('desk', root)).scripts),
  ]);
  const unknown = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpm (?:run )?(?:-s )?([a-z][\w:-]*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name))
      .map((name) => `${file}: npm run ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('every file that the documents name in backticks is there', () => {
  const named = /`((?:runtime|supervisor|executor|bundles|deploy|test|docs)\/[\w./-]+\.[a-z]+)`/g;
  const missing = pages.flatMap(({ file, text }) =>
    [...text.matchAll(named)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('every command and every variable of the environment has its line in the reference', () => {
  const usages = [...source('runtime/cli/command-line.ts').matchAll(/usage: '(\w+)/g)].map(
    ([, name]) => name,
  );
  expect(usages.length).toBeGreaterThan(0);
  const cli = source('docs/reference/cli.md');
  expect(usages.filter((name) => !cli.includes(`timeloom ${name}`))).toEqual([]);
  const variables = [...source('runtime/cli/config/config.ts').matchAll(/'([A-Z][A-Z0-9_]{4,})'/g)];
  const names = new Set(variables.map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(0);
  const reference = source('docs/reference/configuration.md');
  expect(
    [...names].filter((name) => name !== 'CONFIG_INVALID' && !reference.includes(name)),
  ).toEqual([]);
});

test('every key of the descriptors is in the reference', () => {
  const reference = source('docs/reference/configuration.md');
  const keys = [Assembly, Bundles, Gateway].flatMap((schema) =>
    keysOf(z.toJSONSchema(schema, { unrepresentable: 'any' })),
  );
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(reference))).toEqual([]);
});

function source(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function links({ text }: ProjectFile): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(([^)\s]+)(?:\s[^)]*)?\)/g)];
  const pictures = [...prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g)];
  return [...inline, ...pictures]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leads({ file, text }: ProjectFile, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const place = path === '' ? join(root, file) : join(root, dirname(file), path);
  if (!existsSync(place)) return false;
  if (anchor === undefined) return true;
  return headings(path === '' ? text : readFileSync(place, 'utf8')).includes(anchor);
}

/** As the usual sites make them: lower case, punctuation gone, blanks to dashes. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function keysOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(keysOf)];
}
