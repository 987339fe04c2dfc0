import { unreadable } from './byte-reader.ts';
import type { MemberKind } from './members.ts';

/** One entry of the directory at the end of a zip file. */
export type ZipMember = {
  readonly name: string;
  readonly kind: MemberKind;
  readonly method: 'stored' | 'deflated';
  /** Bytes in the archive, and what they become. */
  readonly packed: number;
  readonly size: number;
  /** Where its own header begins. */
  readonly at: number;
};

const endSignature = 0x0605_4b50;
const endBytes = 22;
const commentBytesMax = 0xffff;
const entrySignature = 0x0201_4b50;
const entryBytes = 46;
const madeByUnix = [3, 19];
const methods: Readonly<Record<number, ZipMember['method']>> = { 0: 'stored', 8: 'deflated' };

/** Where the directory is, from the last bytes of a file; undefined if it does not end as a zip does. */
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
    // Nothing stands before, between or after; this also leaves out 64-bit archives, which are too large anyway.
    if (start + bytes !== end) throw unreadable('its directory is not where it says');
    if (tail.readUInt32LE(at + 4) !== 0) throw unreadable('it is one part of several');
    return { at: start, bytes, members };
  }
  return undefined;
}

/** Bytes at the end of a file within which a directory can be found. */
export const zipTailBytes = endBytes + commentBytesMax;

/** Every entry, in the order of the directory. Refusal `archive_unreadable`. */
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
  if (at !== directory.length) throw unreadable('its directory holds more than it says');
}

/** Whether a member's extra fields give it another name (Info-ZIP Unicode Path), which some readers take instead of its own. */
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

/** Before the name: a version and a checksum. */
const unicodePath = { id: 0x7075, prefixBytes: 5 } as const;

function toMember(entry: Buffer, name: string): ZipMember {
  const method = methods[entry.readUInt16LE(10)];
  if (method === undefined) throw unreadable('a member is packed in an unusual way');
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
