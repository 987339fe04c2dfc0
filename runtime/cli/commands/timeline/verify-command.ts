import { verifyLog } from '../../../engine/inspect/verify-log.ts';
import type { StoredConversation } from './open-conversation.ts';

/** `timeloom timeline verify`: checks the log, then that the bytes of every hash exist and match it. */
export async function verify(
  log: StoredConversation,
  { json }: { json: boolean },
): Promise<number> {
  const { blocks } = log;
  const problems = await verifyLog(log);
  if (json) process.stdout.write(`${JSON.stringify({ blocks: blocks.length, problems })}\n`);
  else if (problems.length === 0)
    process.stdout.write(`${blocks.length} blocks, no problems found\n`);
  else for (const problem of problems) process.stdout.write(`${JSON.stringify(problem)}\n`);
  return problems.length === 0 ? 0 : 1;
}
