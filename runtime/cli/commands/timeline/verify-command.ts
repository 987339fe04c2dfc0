import { isFault } from '../../../base/fault.ts';
import { namedBlobs } from '../../../timeline/catalogue/named-blobs.ts';
import { type Problem, verify as verifyBlocks } from '../../../timeline/verify/verify.ts';
import type { StoredConversation } from './open-conversation.ts';

/** `timeloom timeline verify`: checks the log, then that the bytes of every hash exist and match it. */
export async function verify(
  log: StoredConversation,
  { json }: { json: boolean },
): Promise<number> {
  const { blocks } = log;
  const problems = [...verifyEnds(log), ...verifyBlocks(blocks), ...(await verifyBlobs(log))];
  if (json) process.stdout.write(`${JSON.stringify({ blocks: blocks.length, problems })}\n`);
  else if (problems.length === 0)
    process.stdout.write(`${blocks.length} blocks, no problems found\n`);
  else for (const problem of problems) process.stdout.write(`${JSON.stringify(problem)}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** Checks that the log reaches from block 1 to the last block in the conversation's row. */
function verifyEnds({ blocks, row }: StoredConversation): readonly Problem[] {
  const [first, last] = [blocks[0]?.seq ?? 0, blocks.at(-1)?.seq ?? 0];
  return [
    ...(first > 1 ? [{ code: 'seq_gap', seq: first, text: `the log begins at ${first}` }] : []),
    ...(last === row.head
      ? []
      : [{ code: 'seq_gap', seq: last, text: `the log ends at ${last}, not at ${row.head}` }]),
  ];
}

async function verifyBlobs({
  blocks,
  blobs,
  row,
  signal,
}: StoredConversation): Promise<readonly Problem[]> {
  const known = new Map<string, Problem['code'] | undefined>();
  const problems: Problem[] = [];
  for (const { seq, hash, name } of namedBlobs(blocks)) {
    if (!known.has(hash)) known.set(hash, await check(hash));
    const code = known.get(hash);
    if (code !== undefined) problems.push({ code, seq, text: `${name} ${hash}` });
  }
  return problems;

  async function check(hash: string): Promise<Problem['code'] | undefined> {
    try {
      await blobs.get(row.tenant, hash, { signal });
      return undefined;
    } catch (error) {
      if (!isFault(error) || !/^BLOB_(MISSING|CORRUPT)$/.test(error.code)) throw error;
      return error.code.toLowerCase();
    }
  }
}
