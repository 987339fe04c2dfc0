import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { FlawError } from './flaw.ts';
import { packageBytesMax, packageEntriesMax, packageRatioMax } from './limits.ts';

/** One file of a package. `head` has its first bytes, `bytes` all of them if requested. */
export type ZipMember = { readonly name: string; readonly head: Buffer; readonly bytes?: Buffer };

/** How much of the limits a package and its embedded packages have used. */
export class PackageBudget {
  #entries = 0;
  #bytes = 0;

  enter(entries: number): void {
    this.#entries += entries;
    if (this.#entries > packageEntriesMax) {
      throw tooComplex(`contains more than ${packageEntriesMax} entries`);
    }
  }

  unpack(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > packageBytesMax) {
      throw tooComplex(`unpacks to more than ${packageBytesMax} bytes`);
    }
  }
}

type MemberFilter = (name: string, head: Buffer) => boolean;

/**
 * Yields every file of a ZIP archive, unpacked and verified by size and checksum. The directory is checked before the
 * first file is unpacked: number of entries, unpacked size, names.
 */
export async function* zipMembers(
  archive: Buffer,
  budget: PackageBudget,
  isWanted: MemberFilter,
): AsyncGenerator<ZipMember, void> {
  const zip = await fromBufferPromise(archive);
  budget.enter(zip.entryCount);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  checkDirectory(entries, archive.length, budget);
  for (const entry of entries) {
    await checkLocalName(zip, entry);
    if (!entry.fileName.endsWith('/')) yield await unpack(zip, entry, isWanted);
  }
}

function checkDirectory(entries: readonly Entry[], bytes: number, budget: PackageBudget): void {
  const unpacked = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (unpacked > packageRatioMax * bytes) {
    throw tooComplex(`unpacks to more than ${packageRatioMax} times its size`);
  }
  budget.unpack(unpacked);
  const names = new Set<string>();
  for (const entry of entries) {
    if (entry.isEncrypted()) {
      throw new FlawError('encrypted', 'is encrypted; send it without a password');
    }
    const name = entry.fileName.toLowerCase();
    if (names.has(name)) {
      throw new FlawError(
        'unsafe_names',
        `contains two entries named ${entry.fileName.slice(0, 100)}`,
      );
    }
    names.add(name);
  }
}

/** Readers that use the local headers of the archive must find the same names as readers that use its directory. */
async function checkLocalName(zip: ZipFile, entry: Entry): Promise<void> {
  const { fileName } = await zip.readLocalFileHeaderPromise(entry);
  const hasOther = entry.extraFields.some(({ id }) => id === unicodePath);
  if (!hasOther && fileName.equals(entry.fileNameRaw)) return;
  throw new FlawError('unsafe_names', 'contains an entry with two names');
}

/** An extra field whose name some readers prefer over the entry's own. */
const unicodePath = 0x7075;
const headSize = 8;

async function unpack(zip: ZipFile, entry: Entry, isWanted: MemberFilter): Promise<ZipMember> {
  const name = entry.fileName;
  const kept: Buffer[] = [];
  let head = Buffer.alloc(0);
  let sum = 0;
  let isKept = true;
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    const chunk = Buffer.from(piece);
    sum = crc32(chunk, sum);
    if (isKept) kept.push(chunk);
    if (head.length === headSize) continue;
    head = Buffer.concat([head, chunk]).subarray(0, headSize);
    isKept = head.length < headSize || isWanted(name, head);
    if (!isKept) kept.length = 0;
  }
  if (sum !== entry.crc32)
    throw new FlawError('malformed', 'is damaged: a checksum does not match');
  return isWanted(name, head) ? { name, head, bytes: Buffer.concat(kept) } : { name, head };
}

function tooComplex(message: string): FlawError {
  return new FlawError('too_complex', message);
}
