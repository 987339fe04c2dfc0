import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { packageRoot } from '../../../base/package-root.ts';
import { bundleNameCharsMax } from './limits.ts';
import { defaultTsconfig, isWithinPackage, manifestOf } from './package-manifest.ts';

type Options = { readonly parent: string; readonly json: boolean };

/** The names in the template that are replaced. */
const templateNames = { name: 'new-bundle', alias: 'new_bundle', title: 'New bundle' };

/** `timeloom bundle new NAME`: creates a bundle with a passing test. Exit code 2: invalid name, or the folder exists. */
export async function newBundle(name: string, { parent, json }: Options): Promise<number> {
  const dir = resolve(parent, name);
  const because =
    nameProblem(name) ??
    (existsSync(dir) ? `${dir} already exists; choose another name, or use --in DIR` : undefined) ??
    (isFile(parent) ? `${parent} is not a folder; choose another one with --in DIR` : undefined);
  if (because !== undefined) {
    process.stderr.write(`${because}\n`);
    return 2;
  }
  const inPackage = isWithinPackage(dir);
  try {
    await fill(dir, name, { inPackage });
  } catch (error) {
    // An incomplete folder would block the next attempt.
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
  const files = await filesOf(dir);
  const next = nextSteps(dir, { inPackage });
  if (json)
    process.stdout.write(
      `${JSON.stringify({ made: dir, files, next: next.map(([command]) => command) })}\n`,
    );
  else process.stdout.write(resultText(dir, files, next));
  return 0;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Why the name is not valid; undefined: it is valid. */
function nameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `“${name}” is not a valid bundle name: use kebab-case beginning with a letter, such as ops-desk`;
  if (name.length > bundleNameCharsMax)
    return `“${name}” is too long: a bundle name has at most ${bundleNameCharsMax} characters`;
  if (/^(react|mcp)$/.test(name))
    return `“${name}” is reserved for the runtime's own tools; choose another name, such as ${name}-desk`;
  return undefined;
}

async function fill(
  dir: string,
  name: string,
  { inPackage }: { inPackage: boolean },
): Promise<void> {
  await mkdir(resolve(dir, '..'), { recursive: true });
  await mkdir(dir);
  await cp(join(packageRoot(), 'runtime/cli/bundle-template'), dir, { recursive: true });
  for (const file of await filesOf(dir)) {
    const path = join(dir, file);
    await writeFile(path, named(await readFile(path, 'utf8'), name));
  }
  await writeFile(join(dir, 'tsconfig.json'), toText(defaultTsconfig()));
  // Inside this package, `timeloom` and the installed packages are available.
  if (inPackage) return;
  await writeFile(join(dir, 'package.json'), toText(await manifestOf(name, dir)));
  await writeFile(join(dir, '.gitignore'), 'node_modules\n.timeloom\n');
}

function named(text: string, name: string): string {
  const words = name.replaceAll('-', ' ');
  return text
    .replaceAll(templateNames.name, name)
    .replaceAll(templateNames.alias, name.replaceAll('-', '_'))
    .replaceAll(templateNames.title, `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`);
}

function toText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function filesOf(dir: string): Promise<readonly string[]> {
  const items = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = items.filter((item) => item.isFile());
  return files.map((file) => relative(dir, join(file.parentPath, file.name))).toSorted();
}

type Step = readonly [command: string, why: string];

/** The next commands, for the current folder. */
function nextSteps(dir: string, { inPackage }: { inPackage: boolean }): readonly Step[] {
  const why = {
    check: 'types, ids, skills, secrets',
    test: 'conversations with a scripted model',
    dev: 'serves it; changes apply from the next turn',
    talk: 'a scripted conversation in the terminal; needs no API key',
  };
  if (inPackage) {
    const path = relative(packageRoot(), dir);
    return [
      [`npm run timeloom -- bundle check ${path}`, why.check],
      [`npx vitest run --dir ${path}`, why.test],
      [`npm run timeloom -- bundle dev ${path}`, why.dev],
      [
        `TIMELOOM_BUNDLES=${path} TIMELOOM_MODEL=scripted:${path}/script.yaml npm run timeloom -- chat`,
        why.talk,
      ],
    ];
  }
  const here = relative('.', dir);
  return [
    [`cd ${here === basename(dir) ? here : dir} && npm install`, 'once, for types and test runner'],
    ['npm test', why.test],
    ['npm run talk', why.talk],
    ['npm run check', why.check],
    ['npm run dev', why.dev],
  ];
}

function resultText(dir: string, files: readonly string[], next: readonly Step[]): string {
  const width = Math.max(...next.map(([command]) => command.length));
  const rows = next.map(([command, why]) => `  ${command.padEnd(width)}   ${why}`);
  return `Created ${dir}\n${files.map((file) => `  ${file}\n`).join('')}\nNext:\n${rows.join('\n')}\n`;
}
