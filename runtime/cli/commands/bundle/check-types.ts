import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../../base/package-root.ts';
import { environment } from '../../config/config.ts';
import type { BundleFinding } from './bundle-finding.ts';
import { typesMsMax, typesShownMax } from './limits.ts';
import { defaultTsconfig, resolveFrom } from './package-manifest.ts';

/** Runs the TypeScript compiler in a bundle's folder, with the folder's tsconfig.json if there is one. */
export async function checkTypes(
  dir: string,
  { signal }: { signal: AbortSignal },
): Promise<readonly BundleFinding[]> {
  if (!(await hasSources(dir))) return [];
  const [compiler] = [dir, packageRoot()].flatMap(compilerFrom);
  if (compiler === undefined) {
    const fix = 'run npm install --save-dev typescript, or skip the type check with --no-types';
    const level = 'warning' as const;
    return [{ ...error, level, says: 'types are not checked: no TypeScript compiler found', fix }];
  }
  const draft = await mkdtemp(join(tmpdir(), 'timeloom-types-'));
  try {
    const config = join(draft, 'tsconfig.json');
    await writeFile(config, JSON.stringify(settingsFor(dir)));
    return findingsIn(await compile(compiler, { config, dir, signal }));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const error = { level: 'error', what: 'types', places: [] } as const;

/** Found through its package.json, because not every version exports its files. */
function compilerFrom(dir: string): readonly string[] {
  const manifest = resolveFrom(dir, 'typescript/package.json');
  return manifest === undefined ? [] : [join(dirname(manifest), 'bin/tsc')];
}

async function hasSources(dir: string): Promise<boolean> {
  return (await readdir(dir)).some((name) => name.endsWith('.ts'));
}

/** `timeloom/*` and `zod` resolve to the runtime's own, as when the bundle is served. */
function settingsFor(dir: string): object {
  const own = join(dir, 'tsconfig.json');
  const ours = defaultTsconfig();
  const inFolder = (paths: readonly string[]) => paths.map((path) => join(dir, path));
  const base = existsSync(own)
    ? { extends: own, compilerOptions: {} }
    : {
        compilerOptions: { ...ours.compilerOptions, ...asBundled },
        include: inFolder(ours.include),
        exclude: inFolder(ours.exclude),
      };
  return {
    ...base,
    compilerOptions: {
      ...base.compilerOptions,
      ...{ noEmit: true, incremental: false, composite: false },
      typeRoots: [dir, packageRoot()].flatMap(typeRootsAbove),
      paths: runtimePaths(),
    },
  };
}

/** Without a package.json that says so, NodeNext takes files for CommonJS; a server bundles them as ECMAScript modules. */
const asBundled = { module: 'ESNext', moduleResolution: 'Bundler', moduleDetection: 'force' };

function typeRootsAbove(dir: string): readonly string[] {
  const own = join(dir, 'node_modules/@types');
  const above = dirname(dir);
  return [...(existsSync(own) ? [own] : []), ...(above === dir ? [] : typeRootsAbove(above))];
}

function runtimePaths(): Readonly<Record<string, readonly string[]>> {
  const isSource = import.meta.url.endsWith('.ts');
  const folder = join(packageRoot(), isSource ? 'runtime' : 'dist/runtime');
  const file = (name: string) => [join(folder, `${name}.${isSource ? 'ts' : 'd.ts'}`)];
  const zod = dirname(resolveFrom(packageRoot(), 'zod/package.json') ?? '');
  return {
    'timeloom/sdk': file('sdk/index'),
    'timeloom/testing': file('testing/index'),
    'timeloom/channels': file('channels/index'),
    'timeloom/client': file('client/index'),
    zod: [join(zod, 'index.d.ts')],
    'zod/*': [join(zod, '*/index.d.ts')],
  };
}

type Compiling = { readonly config: string; readonly dir: string; readonly signal: AbortSignal };

async function compile(compiler: string, { config, dir, signal }: Compiling): Promise<string> {
  const { PATH } = environment();
  const child = spawn(process.execPath, [compiler, '-p', config, '--pretty', 'false'], {
    cwd: dir,
    env: { PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(typesMsMax)]),
  });
  const ended = once(child, 'close');
  const output = await text(child.stdout);
  await ended;
  return output;
}

/** Errors in files and settings of the bundle; errors in other files are ignored. */
function findingsIn(output: string): readonly BundleFinding[] {
  // The following lines of a message are indented.
  const complaints = output.split(/\n(?=\S)/).filter((each) => each.trim() !== '');
  const findings = complaints.flatMap((complaint) => {
    const [, file, line, column, says] =
      /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: [\s\S]*)$/.exec(complaint.trim()) ?? [];
    if (says === undefined || file?.startsWith('..') || file?.startsWith('/')) return [];
    const places = file === undefined ? [] : [`${file}:${line}:${column}`];
    return [{ ...error, places, says: says.replaceAll(/\n\s*/g, ' '), ...fixOf(says) }];
  });
  const more = findings.length - typesShownMax;
  const rest = more > 0 ? [{ ...error, says: `${more} more errors; fix these first` }] : [];
  return [...findings.slice(0, typesShownMax), ...rest];
}

function fixOf(says: string): { readonly fix?: string } {
  const missing =
    /TS(?:2307|2688): Cannot find (?:module|type definition file for) '(\w[^']*)'/.exec(says)?.[1];
  return missing === undefined
    ? {}
    : { fix: `is ${missing} installed? Run npm install in the bundle’s folder` };
}
