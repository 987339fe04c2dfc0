import { isRefusal, Refusal } from '../../runtime/base/refusal.ts';
import { hasMark, isMisnamed, packageMember } from './content-type.ts';
import { checkGzip } from './gzip.ts';
import { Allowance } from './members.ts';
import type { SealedFile } from './sealed-file.ts';
import { checkTar, isTar } from './tar.ts';
import { checkZip } from './zip.ts';

const headBytes = 512;

/**
 * Returns the code why the content of a file cannot be delivered, or undefined if it can. An archive is recognized by its
 * bytes, whatever its name; archives inside archives are not opened. Codes:
 * `artifact_type_mismatch`, `archive_unreadable`, `archive_unsupported`, `archive_too_large`,
 * `archive_too_many_members`, `archive_member_escapes`, `archive_member_not_regular`, `archive_member_misleading`,
 * `archive_members_collide`.
 */
export async function unfitContent(name: string, file: SealedFile): Promise<string | undefined> {
  const allowance = new Allowance({ packedBytes: file.size });
  try {
    await check(name, file, allowance);
    return undefined;
  } catch (thrown) {
    const error = allowance.refusal ?? thrown;
    if (isRefusal(error)) return error.code;
    if (isUnreadable(error)) return 'archive_unreadable';
    throw error;
  }
}

async function check(name: string, file: SealedFile, allowance: Allowance): Promise<void> {
  const head = await file.read({ start: 0, end: Math.min(headBytes, file.size) });
  if (isMisnamed(name, head)) throw new Refusal('artifact_type_mismatch', name);
  if (hasMark(head, 'opaque')) throw new Refusal('archive_unsupported', name);
  if (hasMark(head, 'gzip')) await checkGzip(file, allowance);
  else if (isTar(head)) await checkTar(await file.stream(), allowance);
  else await checkZipped(name, { file, head, allowance });
}

/** Zip readers look at the end of a file first, whatever its beginning is. */
async function checkZipped(
  name: string,
  { file, head, allowance }: { file: SealedFile; head: Buffer; allowance: Allowance },
): Promise<void> {
  const names = await checkZip(file, allowance);
  if (names === undefined && hasMark(head, 'zip')) {
    throw new Refusal('archive_unreadable', 'it has no directory');
  }
  const needed = packageMember(name);
  if (needed !== undefined && !names?.includes(needed)) {
    throw new Refusal('artifact_type_mismatch', name);
  }
}

/** Recognizes the errors that unpackers throw for invalid bytes. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && /^(Z_|ERR_)/.test(String(error.code))) return true;
  return /^(Header exceeds|Invalid (tar )?header|Unexpected end of data)/.test(error.message);
}
