import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import type { BundleFinding } from '../../gateway/ports/bundle-directory.ts';
import { runOwnCommand } from '../workers/own-command.ts';

const Finding: z.ZodType<BundleFinding> = z.object({
  level: z.enum(['error', 'warning']),
  what: z.string(),
  places: z.array(z.string()),
  says: z.string(),
  fix: z.string().optional(),
});

/** What `timeloom bundle check` finds in a folder, in a process of its own. Refusal `command_failed`. */
export async function readFindings(
  dir: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly BundleFinding[]> {
  const findings: BundleFinding[] = [];
  for await (const line of runOwnCommand(['bundle', 'check', dir, '--json'], { signal })) {
    const { data } = Finding.safeParse(parseJson(line));
    if (data) findings.push(data);
  }
  return findings;
}
