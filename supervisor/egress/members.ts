import { Refusal } from '../../runtime/base/refusal.ts';
import {
  archiveBytesMax,
  archiveMembersMax,
  archiveRatioMax,
  archiveSmallBytes,
  memberNameBytesMax,
} from './limits.ts';

/** Anything but these can lead a reader of the archive somewhere else. */
export type MemberKind = 'file' | 'directory' | 'link' | 'other';

/** What one archive may hold; every member and every unpacked byte is taken from it. */
export class Allowance {
  readonly #packedBytes: number;
  #bytes: number;
  #members = archiveMembersMax;

  constructor({ packedBytes }: { packedBytes: number }) {
    this.#packedBytes = packedBytes;
    const expected = Math.max(archiveSmallBytes, packedBytes * archiveRatioMax);
    this.#bytes = Math.min(archiveBytesMax, expected);
  }

  /** Refusals `archive_too_many_members`, `archive_member_not_regular`, `archive_member_escapes`. */
  member({ name, kind }: { name: string; kind: MemberKind }): void {
    this.#members -= 1;
    if (this.#members < 0) {
      throw new Refusal('archive_too_many_members', `more than ${archiveMembersMax} members`);
    }
    const shown = JSON.stringify(name.slice(0, 100));
    if (kind === 'link' || kind === 'other') {
      throw new Refusal('archive_member_not_regular', `${shown} is no file and no folder`);
    }
    if (!staysInside(name)) {
      throw new Refusal('archive_member_escapes', `${shown} is not a place inside`);
    }
  }

  /** Refusal `archive_too_large`, long before the whole of a bomb has been unpacked. */
  unpack(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes >= 0) return;
    const message = `${this.#packedBytes} bytes would become too many`;
    throw new Refusal('archive_too_large', message);
  }
}

/** On every system that may unpack it: a backslash separates, a drive or a leading slash is a root. */
function staysInside(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > memberNameBytesMax) return false;
  if ([...name].some((char) => char < ' ')) return false;
  if (/^[/\\]|^[a-z]:/i.test(name)) return false;
  return !name.split(/[/\\]/).includes('..');
}
