import { crc32, deflateRawSync } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

export type Member = {
  readonly name: string;
  readonly bytes?: Uint8Array;
  /** File type and permissions, as on Unix. */
  readonly mode?: number;
  /** What the directory says of its size, if it lies. */
  readonly said?: number;
  /** What its own header is called, if that differs. */
  readonly inner?: string;
};

/** A zip file, member by member; `repeat` lists the directory that many times. */
export function zipOf(members: readonly Member[], { repeat = 1 } = {}): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const { name, bytes = Buffer.alloc(0), mode = 0o100644, said = bytes.length } = member;
    const packed = deflateRawSync(bytes);
    const sizes = { crc: crc(bytes), packed: packed.length, size: said };
    const local = Buffer.concat([header(member.inner ?? name, sizes), packed]);
    entries.push(entry(name, { ...sizes, mode, at }));
    files.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(Array.from({ length: repeat }, () => entries).flat());
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(members.length * repeat, 8);
  end.writeUInt16LE(members.length * repeat, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, directory, end]);
}

type Sizes = { readonly crc: number; readonly packed: number; readonly size: number };

function header(name: string, sizes: Sizes): Buffer {
  const fixed = Buffer.alloc(30);
  fixed.writeUInt32LE(0x0403_4b50, 0);
  write(fixed, { at: 8, name, ...sizes });
  return Buffer.concat([fixed, Buffer.from(name)]);
}

function entry(name: string, { mode, at, ...sizes }: Sizes & { mode: number; at: number }): Buffer {
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x0201_4b50, 0);
  fixed.writeUInt8(3, 5);
  write(fixed, { at: 10, name, ...sizes });
  fixed.writeUInt32LE((mode << 16) >>> 0, 38);
  fixed.writeUInt32LE(at, 42);
  return Buffer.concat([fixed, Buffer.from(name)]);
}

/** The fields both headers have in the same order: method, time, checksum, sizes, length of the name. */
function write(into: Buffer, fields: Sizes & { at: number; name: string }): void {
  const { at, name, crc: sum, packed, size } = fields;
  into.writeUInt16LE(8, at);
  into.writeUInt32LE(sum, at + 6);
  into.writeUInt32LE(packed, at + 10);
  into.writeUInt32LE(size, at + 14);
  into.writeUInt16LE(Buffer.byteLength(name), at + 18);
}

function crc(bytes: Uint8Array): number {
  return crc32(Buffer.from(bytes));
}

export async function tarOf(
  members: readonly (Parameters<Pack['entry']>[0] & { body?: string })[],
): Promise<Buffer> {
  const archive = pack();
  for (const { body = '', ...member } of members) archive.entry(member, body);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}
