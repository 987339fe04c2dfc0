import { Refusal } from '../../runtime/base/refusal.ts';
import {
  archiveBytesMax,
  archiveMembersMax,
  archiveRatioMax,
  archiveSmallBytes,
  memberNameBytesMax,
} from './limits.ts';

/** Kinds of members; only files and directories are safe for a reader of the archive. */
export type MemberKind = 'file' | 'directory' | 'link' | 'other';

/** The allowance of one archive; every member and every unpacked byte is subtracted from it. */
export class Allowance {
  readonly #packedBytes: number;
  #bytes: number;
  #members = archiveMembersMax;
  readonly #names = new MemberNames();
  #refusal: Refusal | undefined;

  constructor({ packedBytes }: { packedBytes: number }) {
    this.#packedBytes = packedBytes;
    const expected = Math.max(archiveSmallBytes, packedBytes * archiveRatioMax);
    this.#bytes = Math.min(archiveBytesMax, expected);
  }

  /** The first refusal: streams in between may fail with another error. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /**
   * Refusals `archive_too_many_members`, `archive_member_not_regular`, `archive_member_escapes`,
   * `archive_member_misleading`, `archive_members_collide`.
   */
  member({ name, kind }: { name: string; kind: MemberKind }): void {
    this.#members -= 1;
    if (this.#members < 0) {
      throw this.#refuse('archive_too_many_members', `more than ${archiveMembersMax} members`);
    }
    const shown = JSON.stringify(name.slice(0, 100));
    if (kind === 'link' || kind === 'other') {
      throw this.#refuse('archive_member_not_regular', `${shown} is not a file or folder`);
    }
    if (!staysInside(name)) {
      throw this.#refuse('archive_member_escapes', `${shown} is outside the archive`);
    }
    if (/\p{Bidi_Control}/u.test(name)) {
      throw this.#refuse(
        'archive_member_misleading',
        `${shown} contains a control character for text direction`,
      );
    }
    if (!this.#names.add(name, kind)) {
      throw this.#refuse(
        'archive_members_collide',
        `${shown} collides with another member on some systems`,
      );
    }
  }

  /** Refusal `archive_too_large`, long before a zip bomb is fully unpacked. */
  unpack(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes >= 0) return;
    const message = `${this.#packedBytes} bytes unpack to too many`;
    throw this.#refuse('archive_too_large', message);
  }

  #refuse(code: string, message: string): Refusal {
    this.#refusal ??= new Refusal(code, message);
    return this.#refusal;
  }
}

/** Names of an archive's members, normalized as on the least strict file system. */
class MemberNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** False: there is already a file of this name, or a file where this member needs a folder. */
  add(name: string, kind: MemberKind): boolean {
    const names = name
      .normalize('NFC')
      .toLowerCase()
      .split(/[/\\]/)
      .map((part) => part.replace(/[. ]+$/, ''))
      .filter((part) => part !== '');
    const path = names.join('/');
    const above = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
    const folders = kind === 'directory' ? [...above, path] : above;
    if (folders.some((folder) => this.#files.has(folder))) return false;
    for (const folder of folders) this.#folders.add(folder);
    if (kind === 'directory') return true;
    const isNew = !this.#files.has(path) && !this.#folders.has(path);
    this.#files.add(path);
    return isNew;
  }
}

/** For every system that may unpack the archive: a backslash separates, a drive or a leading slash is a root. */
function staysInside(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > memberNameBytesMax) return false;
  if ([...name].some((char) => char < ' ')) return false;
  if (/^[/\\]|^[a-z]:/i.test(name)) return false;
  return !name.split(/[/\\]/).includes('..');
}
