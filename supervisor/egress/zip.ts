import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { Refusal } from '../../runtime/base/refusal.ts';
import { ByteReader, unreadable } from './byte-reader.ts';
import { zipDirectoryBytesMax } from './limits.ts';
import type { Allowance } from './members.ts';
import type { SealedFile } from './sealed-file.ts';
import {
  findZipDirectory,
  namesAnother,
  type ZipMember,
  zipMembers,
  zipTailBytes,
} from './zip-directory.ts';

const headerSignature = 0x0403_4b50;
const headerBytes = 30;
/** The signature as bytes. */
const signature = Buffer.from('PK\x03\x04', 'latin1');

/** Checks every member of a zip file and returns the names; undefined if the file is not a zip. */
export async function checkZip(
  file: SealedFile,
  allowance: Allowance,
): Promise<readonly string[] | undefined> {
  const tail = await file.read({ start: Math.max(0, file.size - zipTailBytes), end: file.size });
  const found = findZipDirectory(tail, { fileBytes: file.size });
  if (found === undefined) return undefined;
  if (found.bytes > zipDirectoryBytesMax) {
    throw new Refusal('archive_too_many_members', 'its directory is too large');
  }
  const directory = await file.read({ start: found.at, end: found.at + found.bytes });
  const members = [...zipMembers(directory, found.members)];
  for (const member of members) allowance.member(member);
  await using bytes = new ByteReader(await file.stream());
  for (const member of members.toSorted((a, b) => a.at - b.at)) {
    await passUnnamed(member.at, bytes);
    await unpack(member, bytes, allowance);
  }
  await passUnnamed(found.at, bytes);
  return members.map(({ name }) => name);
}

/** Skips to a position that the directory lists. Readers that start at the beginning would accept an unlisted member before it. */
async function passUnnamed(at: number, bytes: ByteReader): Promise<void> {
  let last = Buffer.alloc(0);
  for await (const part of bytes.passTo(at)) {
    const seen = Buffer.concat([last, part]);
    if (seen.includes(signature)) throw unreadable('its directory does not list a member');
    last = Buffer.from(seen.subarray(-(signature.length - 1)));
  }
}

/** Does not trust the sizes in the directory: unpacks each member and discards it. */
async function unpack(
  { name, method, packed, size }: ZipMember,
  bytes: ByteReader,
  allowance: Allowance,
): Promise<void> {
  const header = await bytes.take(headerBytes);
  if (header.readUInt32LE(0) !== headerSignature) throw unreadable('a member is missing');
  const own = (await bytes.take(header.readUInt16LE(26))).toString('utf8');
  if (own !== name) throw unreadable('a member has two names');
  const extra = await bytes.take(header.readUInt16LE(28));
  if (namesAnother(extra, name)) throw unreadable('a member has two names');
  let left = size;
  const count = async (unpacked: AsyncIterable<Uint8Array>) => {
    for await (const chunk of unpacked) {
      allowance.unpack(chunk.length);
      left -= chunk.length;
      if (left < 0) throw unreadable('a member is larger than stated');
    }
  };
  const source = bytes.pass(packed);
  if (method === 'stored') await count(source);
  else await pipeline(source, createInflateRaw(), count);
  if (left !== 0) throw unreadable('a member is smaller than stated');
}
