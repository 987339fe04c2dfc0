import { expect } from 'vitest';
import { contract, ran, request } from '../kit.ts';
import { each, type Opened, type Programs, write } from './programs.ts';

const zip = (body: string): Programs => ({
  python: `import zipfile
with zipfile.ZipFile(f"{OUTPUT_DIR}/outputs/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    ${body}`,
});
const tar = (body: string, mode = 'w:gz'): Programs => ({
  python: `import io, tarfile
with tarfile.open(f"{OUTPUT_DIR}/outputs/a.zip", "${mode}") as archive:
    member = tarfile.TarInfo("a/b.csv")
    ${body}
    archive.addfile(member, io.BytesIO(b"x" * member.size))`,
});

/** What a program packs, and the reason why it is not delivered; undefined: it is. */
const packed: Readonly<Record<string, readonly [Programs, string, string | undefined]>> = {
  'an archive of ordinary files': [
    zip('archive.writestr("a/größe.csv", "day,n\\n" * 1000)'),
    'outputs/a.zip',
    undefined,
  ],
  'a zip with a way up': [
    zip('archive.writestr("../../etc/cron.d/x", "x")'),
    'outputs/a.zip',
    'archive_member_escapes',
  ],
  'a zip with a root': [
    zip('archive.writestr("C:\\\\\\\\x", "x")'),
    'outputs/a.zip',
    'archive_member_escapes',
  ],
  'a zip with a link': [
    zip(
      'link = zipfile.ZipInfo("l"); link.create_system = 3; link.external_attr = 0o120777 << 16; archive.writestr(link, "/etc/passwd")',
    ),
    'outputs/a.zip',
    'archive_member_not_regular',
  ],
  'a zip that bursts': [
    zip('archive.writestr("zero", bytes(40 << 20))'),
    'outputs/a.zip',
    'archive_too_large',
  ],
  'a tar with a way up': [
    tar('member.name = "a/../../x"', 'w'),
    'outputs/a.zip',
    'artifact_type_mismatch',
  ],
  'a tar.gz with a way up, under another name': [
    { python: tar('member.name = "/etc/x"').python?.replace('a.zip', 'a.bin') ?? '' },
    'outputs/a.bin',
    'archive_member_escapes',
  ],
  'a tar.gz with a device': [
    {
      python:
        tar('member.type = tarfile.BLKTYPE; member.devmajor = 254').python?.replace(
          'a.zip',
          'a.tgz',
        ) ?? '',
    },
    'outputs/a.tgz',
    'archive_member_not_regular',
  ],
  'a picture that is text': [
    write('outputs/a.png', 'text'),
    'outputs/a.png',
    'artifact_type_mismatch',
  ],
};

/** What is looked for in the files a program leaves, in every backend. */
export function execArchives(get: () => Opened): void {
  for (const [what, [programs, path, reason]] of Object.entries(packed)) {
    // proves: exec.egress
    const promise = reason === undefined ? 'is delivered' : 'is named and not delivered';
    each(`${what} ${promise}`, programs, async (language, code) => {
      const also = `${code}\n${write('outputs/good.txt', 'good')[language]}`;
      const asked = request(language, also, { contract: contract(path, 'outputs/good.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      const names = envelope.artifacts.map(({ filepath }) => filepath);
      expect(names).toContain('outputs/good.txt');
      expect(names.includes(path)).toBe(reason === undefined);
      const files = reason === undefined ? [] : [{ filepath: path, code: reason }];
      expect(envelope.error?.files ?? []).toEqual(files);
    });
  }
}
