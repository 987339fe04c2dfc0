import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import { bundleNameCharsMax } from './limits.ts';
import { defaultTsconfig, isWithinPackage, manifestOf } from './package-manifest.ts';

type Options = { readonly parent: string; readonly json: boolean };

/** The name in the template, and the alias of its tool. */
const templateNames = { name: 'new-bundle', alias: 'new_bundle', title: 'New bundle' };

/** `timeloom bundle new NAME`: a folder that loads, with a test that passes. 2: no such name, or something is there already. */
export async function newBundle(name: string, { parent, json }: Options): Promise<number> {
  const dir = resolve(parent, name);
  const because =
    nameProblem(name) ??
    (existsSync(dir) ? `${dir} is there already; take another name, or --in DIR` : undefined);
  if (because !== undefined) {
    process.stderr.write(`${because}\n`);
    return 2;
  }
  const inPackage = isWithinPackage(dir);
  try {
    await fill(dir, name, { inPackage });
  } catch (error) {
    // Half a bundle would be in the way of the next attempt.
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

/** Why it can be no bundle's name. */
function nameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `“${name}” is no name of a bundle: it is kebab-case and begins with a letter, as in ops-desk`;
  if (name.length > bundleNameCharsMax)
    return `“${name}” is too long: a bundle's name has at most ${bundleNameCharsMax} characters`;
  if (/^(react|mcp)$/.test(name))
    return `“${name}” is reserved: tools of that name are the runtime's own; take another, as in ${name}-desk`;
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
  // Inside the package itself its own name, and what it has installed, are there already.
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

/** What to type where the person stands. */
function nextSteps(dir: string, { inPackage }: { inPackage: boolean }): readonly Step[] {
  const why = {
    check: 'types, ids, skills, secrets',
    test: 'conversations with a scripted model',
    dev: 'serves it; what you change counts from the next turn on',
    talk: 'a conversation in the terminal with a scripted model, without a key',
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
    [
      `cd ${here === basename(dir) ? here : dir} && npm install`,
      'once: the types and the test runner',
    ],
    ['npm test', why.test],
    ['npm run talk', why.talk],
    ['npm run check', why.check],
    ['npm run dev', why.dev],
  ];
}

function resultText(dir: string, files: readonly string[], next: readonly Step[]): string {
  const width = Math.max(...next.map(([command]) => command.length));
  const rows = next.map(([command, why]) => `  ${command.padEnd(width)}   ${why}`);
  return `Made ${dir}\n${files.map((file) => `  ${file}\n`).join('')}\nNext:\n${rows.join('\n')}\n`;
}
