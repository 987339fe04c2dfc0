import { expect } from 'vitest';
import type { InputFile } from '../../../../runtime/tools/ports/sandbox.ts';
import { contract, never, ran, request } from '../kit.ts';
import { each, type Opened } from './programs.ts';

/** Files that nobody asked for, in every backend. */
export function execLeft(get: () => Opened): void {
  // proves: exec.left-reported, exec.names
  each(
    'files that a program left without naming them are reported, with a contract and without',
    {
      python: `import os
turn = "/out/turn_00000000000000000001"
for path in ("/out/outputs/deep/er/a.csv", "/out/files/b.txt", f"{turn}/outputs/c.txt", "/out/outputs/good.txt", "/out/elsewhere/d.txt"):
    os.makedirs(os.path.dirname(path), exist_ok=True); open(path, "w").write("left")
os.symlink("/etc/hostname", "/out/outputs/link"); os.symlink("/etc", "/out/outputs/folder")
for name in (b"two\\nlines", b"a\\xc2\\x9b31m", b"a\\xe2\\x80\\xaegnp", b"a\\xff"):
    open(b"/out/outputs/" + name, "w").write("left")`,
    },
    async (language, code) => {
      const { blobs, sandbox } = get();
      const blob = await blobs.put('test', Buffer.from('given'), { signal: never });
      const inputs = [{ filepath: 'files/old.txt', blob, writable: true }];
      const some = ['outputs/c.txt', 'outputs/deep/er/a.csv'];
      for (const [asked, left] of [
        [['outputs/good.txt'], some],
        [[], [...some, 'outputs/good.txt']],
      ] as const) {
        const one = request(language, code, { inputs, contract: contract(...asked) });
        const { envelope } = await ran(sandbox, one);
        expect(envelope).toMatchObject({ error: null, runtime_err_tail: '' });
        expect(envelope.left?.map(({ filepath }) => filepath).toSorted()).toEqual(left);
        expect(envelope.left?.every(({ size }) => size === 4)).toBe(true);
        expect(envelope.report_text).toContain('- outputs/deep/er/a.csv (4 bytes)');
      }
    },
  );

  // proves: exec.found-elsewhere
  each(
    'a file of the contract that lies elsewhere beneath OUTPUT_DIR is missing, and the error says where it is',
    {
      python: `import os
turn = "/out/turn_00000000000000000001"
for path in ("/out/beside.txt", "/out/deep/er/a.csv", f"{turn}/turned.txt", "/out/files/other.txt", "/out/outputs/folder/name.txt"):
    os.makedirs(os.path.dirname(path), exist_ok=True); open(path, "w").write("there")
os.symlink("/etc/ld.so.cache", "/out/link.txt"); os.mkdir("/out/folder.txt")
open("/out/given.txt", "w").close()`,
      javascript: `const fs = require('node:fs'), { dirname } = require('node:path');
const turn = '/out/turn_00000000000000000001';
for (const path of ['/out/beside.txt', '/out/deep/er/a.csv', turn + '/turned.txt', '/out/files/other.txt', '/out/outputs/folder/name.txt']) {
  fs.mkdirSync(dirname(path), { recursive: true }); fs.writeFileSync(path, 'there');
}
fs.symlinkSync('/etc/ld.so.cache', '/out/link.txt'); fs.mkdirSync('/out/folder.txt');`,
    },
    async (language, code) => {
      const { blobs, sandbox } = get();
      const blob = await blobs.put('test', Buffer.from('given'), { signal: never });
      const inputs = [{ filepath: 'files/given.txt', blob, writable: true }];
      const lies = {
        'beside.txt': 'beside.txt',
        'deep/er/a.csv': 'deep/er/a.csv',
        'turned.txt': 'turn_00000000000000000001/turned.txt',
        'other.txt': 'files/other.txt',
        'name.txt': 'outputs/folder/name.txt',
        // Something that is not a file, was not written or existed before is not found elsewhere.
        'link.txt': undefined,
        'folder.txt': undefined,
        'given.txt': undefined,
      };
      const names = Object.keys(lies).map((name) => `outputs/${name}`);
      const asked = request(language, code, { inputs, contract: contract(...names) });
      const { envelope } = await ran(sandbox, asked);
      expect(envelope.error?.code).toBe('missing_output_files');
      expect(envelope.error?.files).toEqual(
        Object.entries(lies).map(([name, found_at]) => ({
          filepath: `outputs/${name}`,
          code: 'missing_file',
          ...(found_at === undefined ? {} : { found_at }),
        })),
      );
      expect(envelope.error?.message).toContain(
        'outputs/beside.txt (it lies at OUTPUT_DIR/beside.txt)',
      );
      expect(envelope.report_text).toContain(
        '- outputs/beside.txt: missing_file (it lies at OUTPUT_DIR/beside.txt: write it to OUTPUT_DIR/outputs/beside.txt)',
      );
      expect(envelope.report_text).toContain(
        '- outputs/link.txt: missing_file (this run did not write it beneath OUTPUT_DIR',
      );
    },
  );

  // proves: exec.workspace-kept
  each(
    'what is left in files/ is kept for the agent, changed or new; what is as it was is not',
    {
      python: `import os
turn = "/out/turn_00000000000000000001"
os.makedirs("/out/files/deep", exist_ok=True); os.makedirs("/out/files/tmp", exist_ok=True); os.makedirs(f"{turn}/files")
open("/out/files/deep/new.py", "w").write("x = 1\\n")
open("/out/files/same-size.txt", "w").write("NEW")
open("/out/files/grown.txt", "a").write(" more")
open(f"{turn}/files/there.txt", "w").write("there")
open("/out/files/tmp/scratch", "w").write("scratch")
open("/out/files/Größe 数据.csv", "w").write("a")
open("/out/outputs/other.txt", "w").write("reported")
raise SystemExit(0 if os.environ.get("EXECUTION_ID") else 1)`,
      javascript: `const fs = require('node:fs'), turn = '/out/turn_00000000000000000001';
for (const folder of ['/out/files/deep', '/out/files/tmp', turn + '/files']) fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync('/out/files/deep/new.py', 'x = 1\\n'); fs.writeFileSync('/out/files/same-size.txt', 'NEW');
fs.appendFileSync('/out/files/grown.txt', ' more'); fs.writeFileSync(turn + '/files/there.txt', 'there');
fs.writeFileSync('/out/files/tmp/scratch', 'scratch'); fs.writeFileSync('/out/files/Größe 数据.csv', 'a');
fs.writeFileSync('/out/outputs/other.txt', 'reported');`,
    },
    async (language, code) => {
      const { blobs, sandbox } = get();
      const asked = request(language, code, { inputs: await workspace(get()) });
      const { envelope } = await ran(sandbox, asked);
      expect(envelope).toMatchObject({ ok: true, error: null, runtime_err_tail: '' });
      const texts = await Promise.all(
        envelope.artifacts.map(async ({ filepath, blob, visibility, undeclared }) => {
          const bytes = await blobs.get('test', blob.hash, { signal: never });
          return [filepath, Buffer.from(bytes).toString(), visibility, undeclared];
        }),
      );
      const kept = ['internal', true] as const;
      expect(texts.toSorted()).toEqual([
        ['files/Größe 数据.csv', 'a', ...kept],
        ['files/deep/new.py', 'x = 1\n', ...kept],
        ['files/grown.txt', 'old more', ...kept],
        ['files/same-size.txt', 'NEW', ...kept],
        ['files/there.txt', 'there', ...kept],
      ]);
      const left = envelope.left?.map(({ filepath }) => filepath).toSorted();
      expect(left).toEqual(['files/tmp/scratch', 'outputs/other.txt']);
      expect(envelope.report_text).toContain('## Kept for you');
      expect(envelope.report_text).toContain('- files/deep/new.py (6 bytes');
    },
  );

  // proves: exec.workspace-kept
  each(
    'files that must not be delivered are not kept either, are reported, and fail nothing; of many files some are kept',
    {
      python: `import os, zipfile
with zipfile.ZipFile("/out/files/climbs.zip", "w") as archive: archive.writestr("../../etc/passwd", "x")
open("/out/files/picture.png", "w").write("no picture")
os.symlink("/etc/ld.so.cache", "/out/files/link"); os.mkfifo("/out/files/fifo"); open("/out/files/empty", "w")
open("/out/second", "w").write("two names"); os.link("/out/second", "/out/files/second")
for n in range(60): open(f"/out/files/n{n:02}.txt", "w").write(f"{n}")
open("/out/outputs/good.txt", "w").write("good")`,
    },
    async (language, code) => {
      const asked = request(language, code, { contract: contract('outputs/good.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope).toMatchObject({ ok: true, error: null, runtime_err_tail: '' });
      const names = envelope.artifacts.map(({ filepath }) => filepath);
      const kept = names.filter((name) => /^files\/n\d+\.txt$/.test(name));
      expect(names).toEqual(['outputs/good.txt', ...kept]);
      // What is not fit was among the fifty that were looked at, or was not looked at any more.
      expect(kept.length).toBeGreaterThan(40);
      expect(kept.length).toBeLessThanOrEqual(50);
      const codes = new Map(envelope.left?.map(({ filepath, code }) => [filepath, code]));
      for (const [name, code] of [
        ['files/climbs.zip', 'archive_member_escapes'],
        ['files/picture.png', 'artifact_type_mismatch'],
      ]) {
        expect(codes.has(String(name))).toBe(true);
        expect([undefined, code]).toContain(codes.get(String(name)));
      }
    },
  );

  each(
    'a program that fails or is past its time leaves its workspace all the same',
    {
      python: `open("/out/files/draft.txt", "w").write("draft")
raise ValueError("no")`,
      javascript: `require('node:fs').writeFileSync('/out/files/draft.txt', 'draft');
throw new Error('no');`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.error?.code).toBe('program_failed');
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['files/draft.txt']);
    },
  );
}

/** What a program finds in `files/`. */
function workspace({ blobs }: Opened): Promise<readonly InputFile[]> {
  const texts = { 'same-size.txt': 'old', 'grown.txt': 'old', 'untouched.txt': 'as it was' };
  return Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const blob = await blobs.put('test', Buffer.from(text), { signal: never });
      return { filepath: `files/${name}`, blob, writable: true };
    }),
  );
}
