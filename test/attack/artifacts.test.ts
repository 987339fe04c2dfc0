import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryBlobStore } from '../../runtime/adapters/memory/blob-store.ts';
import { unfitContent } from '../../supervisor/egress/check-content.ts';
import { sealedFile } from '../../supervisor/egress/sealed-file.ts';
import { fileBeneath } from '../../supervisor/files/output-walk.ts';

// proves: i6.own-files-only, i6.attacked, exec.egress

const secret = 'the secret of somebody else';
const bytesMax = 64 * 1024 * 1024;
const signal = new AbortController().signal;

/** What a program leaves in `out`, and what happens to a reader that does not check it. */
type Attack = {
  readonly path: string;
  readonly leaves: string;
  readonly harm: (place: string) => boolean;
  readonly refused: string;
};

const reads = (path: string) => (place: string) =>
  readFileSync(join(place, 'out', path), 'utf8') === secret;
/** A reader that does this with the file: something came to lie where nothing was asked to. */
const readsBy = (script: string) => (place: string) => {
  python(place, script);
  return existsSync(join(place, 'stolen'));
};
/** As most programs unpack. */
const unpacks = (path: string) => readsBy(`unpack("out/${path}", "in/here")`);

const attacks: Readonly<Record<string, Attack>> = {
  'a link to a file elsewhere': {
    path: 'a.txt',
    leaves: 'os.symlink("../secret", "out/a.txt")',
    harm: reads('a.txt'),
    refused: 'artifact_symlink_blocked',
  },
  'a folder that is elsewhere': {
    path: 'd/secret',
    leaves: 'os.symlink("..", "out/d")',
    harm: reads('d/secret'),
    refused: 'artifact_symlink_blocked',
  },
  'a second name of a file elsewhere': {
    path: 'a.txt',
    leaves: 'os.link("secret", "out/a.txt")',
    harm: reads('a.txt'),
    refused: 'artifact_hard_link_blocked',
  },
  'a pipe that nobody writes to': {
    path: 'a.txt',
    leaves: 'os.mkfifo("out/a.txt")',
    harm: (place) => spawnSync('timeout', ['0.3', 'cat', join(place, 'out/a.txt')]).status === 124,
    refused: 'artifact_not_regular_file',
  },
  'a file without end': {
    path: 'a.txt',
    leaves: 'open("out/a.txt", "wb").truncate(1 << 40)',
    harm: (place) =>
      spawnSync('timeout', ['0.3', 'cat', join(place, 'out/a.txt')], { stdio: 'ignore' }).status ===
      124,
    refused: 'file_too_large',
  },
  'a zip with a way up': {
    path: 'a.zip',
    leaves: 'zipped("../../stolen")',
    harm: unpacks('a.zip'),
    refused: 'archive_member_escapes',
  },
  'a zip with a root': {
    path: 'a.zip',
    leaves: 'zipped(os.path.abspath("stolen"))',
    harm: unpacks('a.zip'),
    refused: 'archive_member_escapes',
  },
  'a zip with a second name for readers that know one': {
    path: 'a.zip',
    leaves: 'zipped("a.txt", extra=second("a.txt", "../../stolen"))',
    harm: readsBy(
      'z = zipfile.ZipFile("out/a.zip"); open("in/here/" + z.infolist()[0].extra[9:].decode(), "wb").write(z.read("a.txt"))',
    ),
    refused: 'archive_unreadable',
  },
  'a zip with a member for readers that begin at the beginning': {
    path: 'a.zip',
    leaves: 'zipped("../../stolen"); hidden("a.txt")',
    harm: readsBy(
      'data = open("out/a.zip", "rb").read(); n = data[26]; open("in/here/" + data[30:30 + n].decode(), "wb").write(b"x")',
    ),
    refused: 'archive_unreadable',
  },
  'a tar with a way up': {
    path: 'a.tar',
    leaves: 'tarred(member("../../stolen"))',
    harm: unpacks('a.tar'),
    refused: 'archive_member_escapes',
  },
  'a tar with a root': {
    path: 'a.tar',
    leaves: 'tarred(member(os.path.abspath("stolen")))',
    harm: unpacks('a.tar'),
    refused: 'archive_member_escapes',
  },
  'a tar that goes through a link of its own': {
    path: 'a.tar',
    leaves: 'tarred(member("up", type=tarfile.SYMTYPE, linkname="../.."), member("up/stolen"))',
    harm: unpacks('a.tar'),
    refused: 'archive_member_not_regular',
  },
  'a tar that takes a second name of a file': {
    path: 'a.tar',
    leaves: 'tarred(member("a.txt", type=tarfile.LNKTYPE, linkname="../../secret"))',
    harm: (place) => {
      python(place, 'unpack("out/a.tar", "in/here")');
      return readFileSync(join(place, 'in/here/a.txt'), 'utf8') === secret;
    },
    refused: 'archive_member_not_regular',
  },
  'a small zip that is large': {
    path: 'a.zip',
    leaves: 'zipped("a.bin", bytes(60 << 20))',
    harm: (place) => {
      python(place, 'unpack("out/a.zip", "in/here")');
      return (
        readFileSync(join(place, 'in/here/a.bin')).length >
        500 * readFileSync(join(place, 'out/a.zip')).length
      );
    },
    refused: 'archive_too_large',
  },
  'a zip of very many files': {
    path: 'a.zip',
    leaves: 'zipped(*[f"{n}" for n in range(10_001)])',
    harm: (place) => {
      python(
        place,
        'unpack("out/a.zip", "in/here"); open("counted", "w").write(str(len(os.listdir("in/here"))))',
      );
      return Number(readFileSync(join(place, 'counted'), 'utf8')) > 10_000;
    },
    refused: 'archive_too_many_members',
  },
};

/** In the directory of a place. */
function python(place: string, code: string): void {
  const kit = `import io, os, struct, tarfile, zipfile, zlib
def zipped(*names, extra=b""):
    data = b"x"
    if isinstance(names[-1], bytes): *names, data = names
    with zipfile.ZipFile("out/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            info = zipfile.ZipInfo(name); info.extra = extra
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
def second(name, other):
    other = other.encode()
    return struct.pack("<HHBI", 0x7075, 5 + len(other), 1, zlib.crc32(name.encode())) + other
def hidden(name):
    """In front of an archive of one file: what was the only member of the one before."""
    before = open("out/a.zip", "rb").read(); before = before[:before.index(b"PK\\1\\2")]
    zipped(name); own = bytearray(open("out/a.zip", "rb").read())
    entry, end = own.index(b"PK\\1\\2"), own.index(b"PK\\5\\6")
    own[entry + 42:entry + 46] = struct.pack("<I", len(before)); own[end + 16:end + 20] = struct.pack("<I", len(before) + entry)
    open("out/a.zip", "wb").write(before + own)
def member(name, **more):
    info = tarfile.TarInfo(name)
    for key, value in more.items(): setattr(info, key, value)
    if not more: info.size = 1
    return info
def tarred(*members):
    with tarfile.open("out/a.tar", "w") as archive:
        for info in members: archive.addfile(info, io.BytesIO(b"x"))
def unpack(path, folder):
    if path.endswith(".tar"):
        with tarfile.open(path) as archive:
            archive.extraction_filter = lambda info, _: info
            return archive.extractall(folder)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist(): open(os.path.join(folder, name), "wb").write(archive.read(name))
${code}`;
  execFileSync('/usr/bin/python3', ['-c', kit], { cwd: place });
}

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'timeloom-artifacts-'));
  await mkdir(join(place, 'out'));
  await mkdir(join(place, 'in/here'), { recursive: true });
  await writeFile(join(place, 'secret'), secret);
});
afterEach(() => rm(place, { recursive: true }));

test.each(Object.entries(attacks))(
  '%s harms who takes it without looking, and is refused',
  async (_, { path, leaves, harm, refused }) => {
    python(place, leaves);
    expect(harm(place)).toBe(true);
    expect(await taken(path)).toBe(refused);
  },
);

test('of what is too large not a byte is read', async () => {
  python(place, 'open("out/a.txt", "wb").truncate(1 << 40)');
  await using folder = await open(join(place, 'out'));
  const put = async () => {
    throw new Error('it was read');
  };
  const found = await fileBeneath(folder, 'a.txt', {
    uid: process.getuid?.() ?? 0,
    keep: { keeps: () => false, put },
    bytesMax,
  });
  expect(found).toEqual({ kind: 'refused', code: 'file_too_large' });
});

test('a file of somebody else is not the program’s to deliver', async () => {
  python(place, 'open("out/a.txt", "w").write("theirs")');
  await using folder = await open(join(place, 'out'));
  const keep = { keeps: () => false, put: async () => ({ hash: '', size: 0 }) };
  const uid = (process.getuid?.() ?? 0) + 1;
  expect(await fileBeneath(folder, 'a.txt', { uid, keep, bytesMax })).toEqual({
    kind: 'refused',
    code: 'artifact_path_escape_blocked',
  });
});

test('a file and an archive of files are taken', async () => {
  python(
    place,
    'open("out/a.txt", "w").write("mine"); zipped("a/b.csv"); tarred(member("a/b.csv"))',
  );
  expect(await Promise.all(['a.txt', 'a.zip', 'a.tar'].map(taken))).toEqual(
    Array.from({ length: 3 }, () => 'taken'),
  );
});

/** `taken`, or the code why not. */
async function taken(path: string): Promise<string> {
  await using blobs = openMemoryBlobStore();
  await using folder = await open(join(place, 'out'));
  const put = (_: unknown, bytes: AsyncIterable<Uint8Array>) =>
    blobs.put('test', bytes, { signal, bytesMax });
  const uid = process.getuid?.() ?? 0;
  const found = await fileBeneath(folder, path, {
    uid,
    keep: { keeps: () => false, put },
    bytesMax,
  });
  if (found.kind !== 'file') return found.kind === 'refused' ? found.code : found.kind;
  const file = sealedFile(found.blob, { tenant: 'test', blobs, signal });
  return (await unfitContent(path, file)) ?? 'taken';
}
