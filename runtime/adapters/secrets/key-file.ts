import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';

const secretBytes = 32;
const ownerOnly = 0o600;

/** The installation's secret in its data directory, created on first use. Fault `DATA_DIR_UNWRITABLE`. */
export async function keyFileIn(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secrets.key');
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, randomBytes(secretBytes).toString('base64'), { mode: ownerOnly });
    // A link never overwrites: losing the key would make every stored secret unreadable.
    await link(draft, path);
  } catch (cause) {
    if (!isThere(cause)) throw new Fault('DATA_DIR_UNWRITABLE', { because: dataDir }, { cause });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
