import { isFault } from '../../base/fault.ts';
import { namedBlobs } from '../../timeline/catalogue/named-blobs.ts';
import { type Problem, verify } from '../../timeline/verify/verify.ts';
import type { OpenLog } from './open-log.ts';

/** Called after each item of a long check. */
export type Progress = (done: number, of: number) => void | Promise<void>;

/** Checks a log, then that the bytes of every hash exist and match it. Empty: no problem was found. */
export async function verifyLog(
  log: OpenLog,
  progress: Progress = () => undefined,
): Promise<readonly Problem[]> {
  const { blocks } = log;
  return [...verifyEnds(log), ...verify(blocks), ...(await verifyBlobs(log, progress))];
}

/** Checks that the log reaches from block 1 to the last block in the conversation's row. */
function verifyEnds({ blocks, row }: OpenLog): readonly Problem[] {
  const [first, last] = [blocks[0]?.seq ?? 0, blocks.at(-1)?.seq ?? 0];
  return [
    ...(first > 1 ? [{ code: 'seq_gap', seq: first, text: `the log begins at ${first}` }] : []),
    ...(last === row.head
      ? []
      : [{ code: 'seq_gap', seq: last, text: `the log ends at ${last}, not at ${row.head}` }]),
  ];
}

async function verifyBlobs(log: OpenLog, progress: Progress): Promise<readonly Problem[]> {
  const named = [...namedBlobs(log.blocks)];
  const known = new Map<string, Problem['code'] | undefined>();
  const problems: Problem[] = [];
  for (const [index, { seq, hash, name }] of named.entries()) {
    if (!known.has(hash)) known.set(hash, await check(log, hash));
    const code = known.get(hash);
    if (code !== undefined) problems.push({ code, seq, text: `${name} ${hash}` });
    await progress(index + 1, named.length);
  }
  return problems;
}

async function check({ blobs, row, signal }: OpenLog, hash: string): Promise<string | undefined> {
  try {
    await blobs.get(row.tenant, hash, { signal });
    return undefined;
  } catch (error) {
    if (!isFault(error) || !/^BLOB_(MISSING|CORRUPT)$/.test(error.code)) throw error;
    return error.code.toLowerCase();
  }
}
