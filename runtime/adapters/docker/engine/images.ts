import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { executorFolder } from '../../../../supervisor/cell/executor-folder.ts';
import { invariant } from '../../../base/assert.ts';
import { Fault } from '../../../base/fault.ts';
import { withEsbuild } from '../../../base/packages/esbuild.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Work } from '../../../base/signal.ts';
import { statusOf } from './connect.ts';
import { buildMsMax } from './limits.ts';

export type Images = { readonly executor: string; readonly supervisor: string };

type File = { readonly name: string; readonly bytes: Uint8Array };

export const baseDefault = 'timeloom-base:bookworm';

type Wished = {
  readonly base: string;
  readonly layout?: DockerLayout;
  /** Time limit for building each image. */
  readonly buildMs?: number;
};

/** Two containers for each execution, or one. */
export type DockerLayout = 'split' | 'combined';

/**
 * The images of a layout, built if the engine does not have them. The combined layout has one image for both.
 * Tags are hashes of the contents, so an image is never older than the code that uses it.
 * Refusal `image_missing` without a base image.
 */
export async function ensureImages(
  docker: Docker,
  { base, layout = 'split', buildMs = buildMsMax }: Wished,
): Promise<Images> {
  const [files, bundle] = await Promise.all([executorContext(), supervisorBundle()]);
  const executor = await ensure(docker, { name: 'executor', files, base, buildMs });
  const name = layout === 'split' ? 'supervisor' : 'combined';
  const beneath = layout === 'split' ? base : executor;
  const supervisor = await ensure(docker, { name, files: [bundle], base: beneath, buildMs });
  return { executor: layout === 'split' ? executor : supervisor, supervisor };
}

type ImageSpec = {
  readonly name: string;
  readonly files: readonly File[];
  readonly base: string;
  readonly buildMs: number;
};

async function ensure(
  docker: Docker,
  { name, files: own, base, buildMs }: ImageSpec,
): Promise<string> {
  const files = [await dockerfile(name), ...own];
  const hash = createHash('sha256').update(await existingImage(docker, base));
  for (const file of files) hash.update(`\0${file.name}\0`).update(file.bytes);
  const tag = `timeloom-${name}:${hash.digest('hex').slice(0, 16)}`;
  if ((await imageId(docker, tag)) === undefined)
    await buildImage(docker, { tag, files, base, buildMs });
  return tag;
}

/** The id of an image. Refusal `image_missing`. */
export async function existingImage(docker: Docker, name: string): Promise<string> {
  const id = await imageId(docker, name);
  if (id !== undefined) return id;
  const how =
    'build it with `node deploy/images/make-base-image.mjs`, or configure another base image';
  throw new Refusal('image_missing', `the engine has no image ${name}; ${how}`);
}

async function imageId(docker: Docker, name: string): Promise<string | undefined> {
  try {
    return (await docker.getImage(name).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw new Fault('EXEC_FAILED', { because: 'docker image', image: name }, { cause: error });
  }
}

async function buildImage(
  docker: Docker,
  { tag, files, base, buildMs }: Omit<ImageSpec, 'name'> & { readonly tag: string },
): Promise<void> {
  using work = new Work(new AbortController().signal, { deadlineMs: buildMs });
  const context = pack();
  for (const { name, bytes } of files) context.entry({ name, mode: 0o644 }, Buffer.from(bytes));
  context.finalize();
  const options = {
    t: tag,
    buildargs: { BASE: base },
    networkmode: 'none',
    labels: { 'timeloom.image': tag },
    rm: true,
    abortSignal: work.signal,
  };
  const refused = (error: unknown) => Promise.reject(toFault(tag, error));
  const progress = await docker.buildImage(Readable.from(context), options).catch(refused);
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error, lines: unknown[]) => {
      const failed = lines.findLast(isError);
      if (error || failed) reject(toFault(tag, error ?? failed?.error));
      else resolve();
    });
  });
}

function isError(line: unknown): line is { error: string } {
  return typeof line === 'object' && line !== null && 'error' in line;
}

function toFault(tag: string, cause: unknown): Fault {
  return new Fault('EXEC_FAILED', { because: `image ${tag} was not built`, cause: String(cause) });
}

async function executorContext(): Promise<readonly File[]> {
  const folder = executorFolder();
  const names = (await readdir(folder)).filter((name) => /\.(py|mjs)$/.test(name)).sort();
  const files = names.map(async (name) => ({
    name: `executor/${name}`,
    bytes: await readFile(join(folder, name)),
  }));
  return Promise.all(files);
}

/** One file without node_modules, so that the contents of the supervisor's image can be reviewed. */
async function supervisorBundle(): Promise<File> {
  const entry = ['main.ts', 'main.js']
    .map((name) => join(import.meta.dirname, '../../../../supervisor', name))
    .find(existsSync);
  invariant(entry !== undefined, 'the supervisor is part of the package');
  const bundled = await withEsbuild((build) =>
    build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      write: false,
      logLevel: 'silent',
    }),
  );
  const bytes = bundled.outputFiles[0]?.contents;
  invariant(bytes !== undefined, 'a bundle is one file');
  return { name: 'supervisor.mjs', bytes };
}

async function dockerfile(name: string): Promise<File> {
  const bytes = await readFile(join(executorFolder(), '../deploy/images', `${name}.Dockerfile`));
  return { name: 'Dockerfile', bytes };
}
