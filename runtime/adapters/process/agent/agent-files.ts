import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSeccompFilter } from '../../../../supervisor/seccomp/filter.ts';

/** The descriptor from which bwrap reads the filter. */
export async function openFilter(folder: string) {
  const path = join(folder, 'filter');
  await writeFile(path, agentSeccompFilter(), { mode: 0o600 });
  return open(path, 'r');
}
