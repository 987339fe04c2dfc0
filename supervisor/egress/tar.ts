import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import type { Allowance, MemberKind } from './members.ts';

const blockBytes = 512;
const checksum = { at: 148, end: 156 } as const;

/** Checks the checksum of the first block: every tar has it, and no other mark. */
export function isTar(head: Buffer): boolean {
  if (head.length < blockBytes) return false;
  const field = head.subarray(checksum.at, checksum.end);
  const said = Number.parseInt(field.toString('latin1').replace(/[\0 ]+$/, ''), 8);
  const block = Buffer.from(head.subarray(0, blockBytes)).fill(' ', checksum.at, checksum.end);
  return said > 0 && said === block.reduce((sum, byte) => sum + byte, 0);
}

/** Checks the header of every member and skips its bytes. */
export async function checkTar(
  bytes: AsyncIterable<Uint8Array>,
  allowance: Allowance,
): Promise<void> {
  const entries = extract();
  const check = async () => {
    for await (const entry of entries) {
      allowance.member({ name: entry.header.name, kind: toKind(entry.header) });
      entry.resume();
    }
  };
  const checked = check().catch((error: unknown) => {
    entries.destroy(error instanceof Error ? error : undefined);
    throw error;
  });
  await Promise.all([pipeline(bytes, entries), checked]);
}

/** Sparse files make a small archive large, and only some readers understand how their holes are stored. */
function toKind({ type, pax }: Header): MemberKind {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) return 'other';
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return 'file';
    case 'directory':
      return 'directory';
    case 'link':
    case 'symlink':
      return 'link';
    default:
      return 'other';
  }
}
