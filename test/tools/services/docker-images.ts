import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { baseDefault, ensureImages } from '../../../runtime/adapters/docker/engine/images.ts';
import { endServer, forgetRunning, leaveRunning, runFolder } from '../run-folder.ts';
import { dataRootOf, hostOf, socketOf, startEngine } from './docker-engine.ts';
import { holdLock } from './lock.ts';

/**
 * The images of sandboxes, for every engine of a run. One engine makes them and ends; the others start with copies of its
 * records and read its layers where they are. That is safe: an engine writes no layer of an image, containers have layers
 * of their own, and an engine that removes an image removes a link.
 */

/** Records of images, and their layers, in the data of an engine. */
const [records, layers] = ['image/overlay2', 'overlay2'];
const contents = 'diff';

/** Before an engine starts in the folder. Returns whether it will have the images: those of another storage driver cannot be shared. */
export async function shareImages(folder: string): Promise<boolean> {
  const made = dataRootOf(await makeOnce());
  if (![records, layers].every((name) => existsSync(join(made, name)))) return false;
  const own = dataRootOf(folder);
  await mkdir(own, { recursive: true, mode: 0o711 });
  await cp(join(made, records), join(own, records), { recursive: true });
  const names = (await readdir(join(made, layers))).filter((name) => name !== 'l');
  const shared = names.map((name) => join(layers, name, contents));
  await cp(join(made, layers), join(own, layers), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !shared.some((path) => source === join(made, path)),
  });
  await Promise.all(shared.map((path) => symlink(join(made, path), join(own, path))));
  return true;
}

/** The folder of the engine that has made them. */
async function makeOnce(): Promise<string> {
  await using _ = await holdLock('docker-images');
  const made = join(runFolder(), 'docker-images');
  if (existsSync(made)) return made;
  const folder = await mkdtemp(`${made}-`);
  const daemon = await startEngine(folder, {});
  const pid = daemon.pid ?? 0;
  const name = `docker-images-${pid}`;
  await leaveRunning(name, { pid, folder });
  await importBase(folder);
  const docker = new Docker({ socketPath: socketOf(folder) });
  for (const layout of ['split', 'combined'] as const) {
    await ensureImages(docker, { base: baseDefault, layout });
  }
  await endServer(folder, pid);
  await forgetRunning(name);
  await rename(folder, made);
  return made;
}

export async function importBase(folder: string): Promise<void> {
  const env = { ...process.env, DOCKER_HOST: hostOf(folder) };
  await promisify(execFile)(process.execPath, ['deploy/images/make-base-image.mjs'], { env });
}
