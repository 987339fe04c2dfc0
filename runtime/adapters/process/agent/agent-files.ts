import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeUser, ownedBy } from '../../../../supervisor/agent/agent-user.ts';
import { agentSeccompFilter } from '../../../../supervisor/seccomp/filter.ts';
import type { SandboxedProgram } from '../../../engine/ports/agent-sandbox.ts';
import { innerUid } from './agent-argv.ts';

/** The descriptor from which bwrap reads the filter. */
export async function openFilter(folder: string) {
  const path = join(folder, 'filter');
  await writeFile(path, agentSeccompFilter(), { mode: 0o600 });
  return open(path, 'r');
}

/** Gives the program its folders, and describes its user in another one, which is returned. */
export async function prepareUser(
  { workspace, home }: Pick<SandboxedProgram, 'workspace' | 'home'>,
  { uid, folder }: { readonly uid: number; readonly folder: string },
): Promise<string> {
  const etc = await describeUser(folder, innerUid);
  await ownedBy(uid, [workspace, home]);
  return etc;
}
