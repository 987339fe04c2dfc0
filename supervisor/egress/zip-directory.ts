import { unreadable } from './byte-reader.ts';
import type { MemberKind } from './members.ts';

/** An entry of the directory at the end of a zip file. */
export type ZipMember = {
  readonly name: string;
  readonly kind: MemberKind;
  readonly method: 'stored' | 'deflated';
  /** Packed and unpacked bytes. */
  readonly packed: number;
  readonly size: number;
  /** Offset of the local header. */
  readonly at: number;
};

const endSignature = 0x0605_4b50;
const endBytes = 22;
const commentBytesMax = 0xffff;
const entrySignature = 0x0201_4b50;
const entryBytes = 46;
const madeByUnix = [3, 19];
const methods: Readonly<Record<number, ZipMember['method']>> = { 0: 'stored', 8: 'deflated' };

/** Finds the directory from the last bytes of a file; undefined if the file does not end like a zip. */
export function findZipDirectory(
  tail: Buffer,
  { fileBytes }: { fileBytes: number },
): { readonly at: number; readonly bytes: number; readonly members: number } | undefined {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    if (at + endBytes + tail.readUInt16LE(at + 20) !== tail.length) continue;
    const [members, bytes] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12)];
    const start = tail.readUInt32LE(at + 16);
    const end = fileBytes - tail.length + at;
    // Nothing may be before, between or after; this also excludes 64-bit archives, which are too large anyway.
    if (start + bytes !== end) throw unreadable('its directory is not at the stated offset');
    if (tail.readUInt32LE(at + 4) !== 0) throw unreadable('it is one part of a split archive');
    return { at: start, bytes, members };
  }
  return undefined;
}

/** Bytes at the end of a file that can contain the end record of a directory. */
export const zipTailBytes = endBytes + commentBytesMax;

/** All entries, in the order of the directory. Refusal `archive_unreadable`. */
export function* zipMembers(directory: Buffer, members: number): Generator<ZipMember> {
  let at = 0;
  for (let index = 0; index < members; index += 1) {
    if (at + entryBytes > directory.length || directory.readUInt32LE(at) !== entrySignature) {
      throw unreadable('its directory is broken');
    }
    const nameEnd = at + entryBytes + directory.readUInt16LE(at + 28);
    const name = directory.subarray(at + entryBytes, nameEnd).toString('utf8');
    const entry = directory.subarray(at, at + entryBytes);
    at = nameEnd + entry.readUInt16LE(30) + entry.readUInt16LE(32);
    if (at > directory.length) throw unreadable('its directory is broken');
    const extra = directory.subarray(nameEnd, nameEnd + entry.readUInt16LE(30));
    if (namesAnother(extra, name)) throw unreadable('a member has two names');
    yield toMember(entry, name);
  }
  if (at !== directory.length) throw unreadable('its directory is larger than stated');
}

/** Whether a member's extra fields give it another name (Info-ZIP Unicode Path), which some readers use instead. */
export function namesAnother(extra: Buffer, name: string): boolean {
  const field = 4;
  for (let at = 0; at + field <= extra.length; ) {
    const end = at + field + extra.readUInt16LE(at + 2);
    const said = extra.subarray(at + field + unicodePath.prefixBytes, end).toString('utf8');
    if (extra.readUInt16LE(at) === unicodePath.id && said !== name) return true;
    at = end;
  }
  return false;
}

/** Bytes before the name: a version and a checksum. */
const unicodePath = { id: 0x7075, prefixBytes: 5 } as const;

function toMember(entry: Buffer, name: string): ZipMember {
  const method = methods[entry.readUInt16LE(10)];
  if (method === undefined) throw unreadable('a member uses an unsupported compression method');
  return {
    name,
    kind: toKind(entry, name),
    method,
    packed: entry.readUInt32LE(20),
    size: entry.readUInt32LE(24),
    at: entry.readUInt32LE(42),
  };
}

function toKind(entry: Buffer, name: string): MemberKind {
  const type = madeByUnix.includes(entry.readUInt8(5)) ? entry.readUInt16LE(40) & 0o170000 : 0;
  switch (type) {
    case 0:
      return name.endsWith('/') ? 'directory' : 'file';
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'directory';
    case 0o120000:
      return 'link';
    default:
      return 'other';
  }
}
