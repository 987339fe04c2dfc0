import { expect } from 'vitest';
import { contract, never, ran, request } from './exec-kit.ts';
import { each, type Opened } from './exec-programs.ts';

/** Files that nobody asked for, in every backend. */
export function execLeft(get: () => Opened): void {
  // proves: exec.left-told, exec.names
  each(
    'what is left and not named is told, with a contract and without',
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
      const some = ['files/b.txt', 'outputs/c.txt', 'outputs/deep/er/a.csv'];
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
}
