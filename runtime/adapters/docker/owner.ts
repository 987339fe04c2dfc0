import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { takeHostLock } from '../../../supervisor/cell/host-lock.ts';

/** A process that creates containers. Its name is released when the process ends. */
export interface Owner extends AsyncDisposable {
  readonly name: string;
}

/** Takes a name of the form `<where>/<which>`. Only in the same place can others tell whether it is still held. */
export async function openOwner(): Promise<Owner> {
  const name = `${await here()}/${randomBytes(8).toString('hex')}`;
  const held = await takeHostLock(name);
  return { name, [Symbol.asyncDispose]: async () => held?.[Symbol.asyncDispose]() };
}

/** `unknown` for an owner on another machine or in another network namespace. */
export async function ownerState(name: string): Promise<'alive' | 'dead' | 'unknown'> {
  if (!name.startsWith(`${await here()}/`)) return 'unknown';
  await using held = await takeHostLock(name);
  return held === undefined ? 'alive' : 'dead';
}

/** Names are held per network namespace, within one boot of one machine. */
async function here(): Promise<string> {
  const [boot, network] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'elsewhere'),
    readlink('/proc/self/ns/net').catch(() => 'net'),
  ]);
  return `${boot.trim()}.${network.replace(/\D/g, '')}`;
}
