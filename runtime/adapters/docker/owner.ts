import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { takeHostLock } from '../../../supervisor/cell/host-lock.ts';

/** Whoever makes containers, by a name that ends with its process. */
export interface Owner extends AsyncDisposable {
  readonly name: string;
}

/** Takes a name of the form `<where>/<which>`; only where it was taken can anybody tell whether it is still held. */
export async function openOwner(): Promise<Owner> {
  const name = `${await here()}/${randomBytes(8).toString('hex')}`;
  const held = await takeHostLock(name);
  return { name, [Symbol.asyncDispose]: async () => held?.[Symbol.asyncDispose]() };
}

/** `unknown` for an owner on another machine, or behind another network than ours. */
export async function ownerState(name: string): Promise<'alive' | 'dead' | 'unknown'> {
  if (!name.startsWith(`${await here()}/`)) return 'unknown';
  await using held = await takeHostLock(name);
  return held === undefined ? 'alive' : 'dead';
}

/** Names are held in a network namespace of one boot of one machine. */
async function here(): Promise<string> {
  const [boot, network] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'elsewhere'),
    readlink('/proc/self/ns/net').catch(() => 'net'),
  ]);
  return `${boot.trim()}.${network.replace(/\D/g, '')}`;
}
