import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';

const fileState = z.object({ size: z.number(), mtimeMs: z.number(), ino: z.number() });
const State = z.object({
  session: z.string().exactOptional(),
  /** Hash of the files that the bundle has put there. */
  seeded: z.string().exactOptional(),
  files: z.record(z.string(), fileState),
});
/** What this runtime knows of a workspace; no program can write it. */
export type WorkspaceState = z.infer<typeof State>;

export const stateFile = 'state.json';

export async function readState(folder: string): Promise<WorkspaceState> {
  const text = await readFile(join(folder, stateFile), 'utf8').catch(() => '');
  return State.safeParse(parseJson(text)).data ?? { files: {} };
}

export async function writeState(folder: string, state: WorkspaceState): Promise<void> {
  await writeFile(join(folder, stateFile), JSON.stringify(state), { mode: 0o600, flush: true });
}
