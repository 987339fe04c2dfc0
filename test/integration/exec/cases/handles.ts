import { expect, test } from 'vitest';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import type { BlobRef } from '../../../../runtime/timeline/block.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { fileName } from '../../../../runtime/tools/files/file-path.ts';
import type { TurnServices } from '../../../../runtime/tools/ports/call-services.ts';
import type { ExecHost } from '../../../../runtime/tools/ports/sandbox.ts';
import { toPassableResult } from '../../../../runtime/tools/results/large-result.ts';
import { mountedFileBytesMax } from '../../../../supervisor/execution/limits.ts';
import { contract, delivered, echoHost, never, ran, request } from '../kit.ts';
import { each, type Opened } from './programs.ts';

const folder = '/opt/timeloom/inputs/handed';

/** Files that come to a program while it runs, in every backend. */
export function execHandles(get: () => Opened): void {
  const keep = (text: string) => get().blobs.put('test', Buffer.from(text), { signal: never });

  /** A host whose tool `a.make` writes a file, which is there from then on. */
  function maker(text = 'day;p95\nMonday;é😀\n', filename = 'p95 é.csv') {
    const path = `fi:turn_00000000000000000001.outputs/${filename}`;
    const made = new Map<string, BlobRef>();
    const host: ExecHost = {
      ...echoHost,
      callTool: async () => {
        const blob = await keep(text);
        made.set(path, blob);
        return { ok: true, ret: { path, filename, mime: 'text/csv', size: blob.size } };
      },
      findFile: async (asked) => {
        const blob = made.get(asked);
        if (blob === undefined) throw new Refusal('not_found', `Nothing is at ${asked}.`);
        return { filename, blob };
      },
    };
    return { host, granted: ['a.make'] };
  }

  /** A host whose tool `a.many` returns the given number of rows, as the runtime passes on what a tool returns. */
  function generous() {
    const kept = new Map<string, BlobRef>();
    const services: Pick<TurnServices, 'writeFile'> = {
      writeFile: async ({ filepath, bytes, mime = '', visibility = 'external' }) => {
        const blob = await get().blobs.put('test', bytes, { signal: never });
        const path = `fi:turn_1.${filepath}` as const;
        kept.set(path, blob);
        return { path, filename: fileName(filepath), mime, size: blob.size, visibility };
      },
    };
    const host: ExecHost = {
      ...echoHost,
      callTool: ({ id, input }) => {
        const word = `${'x'.repeat(200_000)}é😀`;
        const ret = Array.from({ length: Number(input['rows']) }, (_, n) => ({ id: n, word }));
        return toPassableResult(
          { ok: true, ret },
          { call: toCallId(id), services, mask: (text) => text },
        );
      },
      findFile: async (path) => {
        const blob = kept.get(path);
        if (blob === undefined) throw new Refusal('not_found', `Nothing is at ${path}.`);
        return { filename: fileName(path), blob };
      },
    };
    return { host, granted: ['a.many'] };
  }

  // proves: exec.handles
  each(
    'a program opens a file that a tool wrote while it runs, by its path and by what the tool returned',
    {
      python: `ref = await tools.a.make()
one, two = await ctx_tools.fetch_file(ref["path"]), await ctx_tools.fetch_file(ref)
print(open(one, encoding="utf-8").read() + one.rsplit("/")[-1], one == two)`,
      javascript: `const ref = await tools.a.make();
const one = await ctx_tools.fetch_file(ref.path), two = await ctx_tools.fetch_file(ref);
console.log(require('node:fs').readFileSync(one, 'utf8') + one.split('/').at(-1), one === two ? 'True' : 'False');`,
    },
    async (language, code) => {
      const { host, granted } = maker();
      const { envelope } = await ran(get().sandbox, request(language, code, { granted }), { host });
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('day;p95\nMonday;é😀\np95 é.csv True\n');
    },
  );

  // proves: exec.large-value
  each(
    'a value too large to be passed is a file that the program opens',
    {
      python: `import json, os
named = await tools.a.many(rows=90)
path = await ctx_tools.fetch_file(named)
rows = json.load(open(path, encoding="utf-8"))
print(named["mime"], os.path.getsize(path) == named["size"], len(rows), rows[-1]["id"], rows[-1]["word"][-2:], named["shape"])
print(await tools.a.many(rows=0))`,
      javascript: `const fs = require('node:fs');
const named = await tools.a.many({ rows: 90 });
const path = await ctx_tools.fetch_file(named);
const rows = JSON.parse(fs.readFileSync(path, 'utf8'));
const whole = fs.statSync(path).size === named.size ? 'True' : 'False';
console.log(named.mime, whole, rows.length, rows.at(-1).id, [...rows.at(-1).word].slice(-2).join(''), named.shape);
console.log('[]');
if ((await tools.a.many({ rows: 0 })).length !== 0) throw new Error('not empty');`,
    },
    async (language, code) => {
      const { host, granted } = generous();
      const { envelope } = await ran(get().sandbox, request(language, code, { granted }), { host });
      expect(envelope.runtime_err_tail).toBe('');
      const shape = '90 × { id: number, word: string(200,003) }';
      expect(envelope.user_out_tail).toBe(`application/json True 90 89 é😀 ${shape}\n[]\n`);
    },
  );

  each(
    'what is not there for it is an error of its call, and the program goes on',
    {
      python: `try: await ctx_tools.fetch_file("fi:conv_other.turn_1.outputs/a.csv")
except ToolError as error: print(error.code)
print(open(await ctx_tools.fetch_file(await tools.a.make())).read())`,
      javascript: `try { await ctx_tools.fetch_file('fi:conv_other.turn_1.outputs/a.csv') } catch (error) { console.log(error.code) }
console.log(require('node:fs').readFileSync(await ctx_tools.fetch_file(await tools.a.make()), 'utf8'));`,
    },
    async (language, code) => {
      const { host, granted } = maker('here');
      const { envelope } = await ran(get().sandbox, request(language, code, { granted }), { host });
      expect(envelope.user_out_tail).toBe('not_found\nhere\n');
    },
  );

  test('a file that is too large, is gone, or is not what its hash says, is an error of its call', async () => {
    const good = await keep('good');
    const bad: Readonly<Record<string, BlobRef>> = {
      large: { hash: good.hash, size: mountedFileBytesMax + 1 },
      gone: { hash: `sha256:${'0'.repeat(64)}`, size: 4 },
      spoilt: { hash: good.hash, size: 5 },
    };
    const host: ExecHost = {
      ...echoHost,
      findFile: async (path) => ({ filename: 'a.txt', blob: bad[path] ?? good }),
    };
    const code = `for path in ("large", "gone", "spoilt"):
    try: print(await ctx_tools.fetch_file(path))
    except ToolError as error: print(error.code)
print(open(await ctx_tools.fetch_file("good")).read())`;
    const { envelope } = await ran(get().sandbox, request('python', code), { host });
    expect(envelope.runtime_err_tail).toBe('');
    expect(envelope.user_out_tail).toBe('file_too_large\ntool_failed\ntool_failed\ngood\n');
  });

  // proves: exec.handles-sealed
  each(
    'a program cannot write into what it was handed, replace it, or put anything beside it',
    {
      python: `import os, shutil
path = await ctx_tools.fetch_file(await tools.a.make())
folder, parent = os.path.dirname(path), "${folder}"
open("/tmp/mine", "w").write("mine")
acts = [lambda: open(path, "w"), lambda: open(path, "r+"), lambda: os.truncate(path, 0), lambda: os.unlink(path), lambda: os.chmod(path, 0o777),
  lambda: os.rename(path, path + "2"), lambda: os.rename("/tmp/mine", path), lambda: os.symlink("/tmp/mine", folder + "/link"), lambda: os.link(path, "/out/outputs/own"),
  lambda: os.mkdir(parent + "/2"), lambda: open(parent + "/2", "w"), lambda: os.rename(folder, "/out/moved"), lambda: os.rename(parent, "/out/moved"),
  lambda: shutil.rmtree(parent), lambda: os.symlink("/out", os.path.dirname(parent) + "/handed2"), lambda: open(f"/proc/self/fd/{os.open(path, os.O_RDONLY)}", "r+")]
done = []
for n, act in enumerate(acts):
    try: act(); done.append(n)
    except OSError: pass
again = await ctx_tools.fetch_file(await tools.a.make(n=2))
print(done, open(path).read(), open(again).read(), os.path.islink(path))`,
      javascript: `const fs = require('node:fs'), { dirname } = require('node:path');
const path = await ctx_tools.fetch_file(await tools.a.make());
const folder = dirname(path), parent = '${folder}';
fs.writeFileSync('/tmp/mine', 'mine');
const acts = [() => fs.writeFileSync(path, ''), () => fs.openSync(path, 'r+'), () => fs.truncateSync(path), () => fs.unlinkSync(path), () => fs.chmodSync(path, 0o777),
  () => fs.renameSync(path, path + '2'), () => fs.renameSync('/tmp/mine', path), () => fs.symlinkSync('/tmp/mine', folder + '/link'), () => fs.linkSync(path, '/out/outputs/own'),
  () => fs.mkdirSync(parent + '/2'), () => fs.writeFileSync(parent + '/2', ''), () => fs.renameSync(folder, '/out/moved'), () => fs.renameSync(parent, '/out/moved'),
  () => fs.rmSync(parent, { recursive: true }), () => fs.symlinkSync('/out', dirname(parent) + '/handed2'), () => fs.openSync('/proc/self/fd/' + fs.openSync(path, 'r'), 'r+')];
const done = [];
acts.forEach((act, n) => { try { act(); done.push(n) } catch {} });
const again = await ctx_tools.fetch_file(await tools.a.make({ n: 2 }));
console.log('[' + done + ']', fs.readFileSync(path, 'utf8'), fs.readFileSync(again, 'utf8'), fs.lstatSync(path).isSymbolicLink() ? 'True' : 'False');`,
    },
    async (language, code) => {
      const { host, granted } = maker('as it was', 'a.txt');
      const { envelope } = await ran(get().sandbox, request(language, code, { granted }), { host });
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('[] as it was as it was False\n');
    },
  );

  each(
    'many files come at the same time, each under a name of its own',
    {
      python: `import asyncio
paths = await asyncio.gather(*(ctx_tools.fetch_file(f"fi:{n % 20}") for n in range(60)))
print(len(set(paths)), all(open(path).read() == f"text {n % 20}" for n, path in enumerate(paths)))`,
      javascript: `const paths = await Promise.all([...Array(60).keys()].map((n) => ctx_tools.fetch_file('fi:' + (n % 20))));
const all = paths.every((path, n) => require('node:fs').readFileSync(path, 'utf8') === 'text ' + (n % 20));
console.log(new Set(paths).size, all ? 'True' : 'False');`,
    },
    async (language, code) => {
      const host: ExecHost = {
        ...echoHost,
        findFile: async (path) => ({
          filename: 'a.txt',
          blob: await keep(`text ${path.slice(3)}`),
        }),
      };
      const { envelope } = await ran(get().sandbox, request(language, code), { host });
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('20 True\n');
    },
  );

  test('a file is read beside inputs of the program, and becomes one that it delivers', async () => {
    const blob = await keep('input');
    const inputs = [
      { filepath: 'attachments/a.txt', blob, writable: false },
      { filepath: 'files/b.txt', blob, writable: true },
    ];
    const code = `path = await ctx_tools.fetch_file(await tools.a.make())
names = (path, "/out/attachments/a.txt", "/out/files/b.txt")
open("/out/outputs/all.txt", "w").write(" ".join(open(name).read() for name in names))`;
    const { host, granted } = maker('handed');
    const asked = request('python', code, {
      granted,
      inputs,
      contract: contract('outputs/all.txt'),
    });
    const { envelope } = await ran(get().sandbox, asked, { host });
    expect(envelope.error).toBe(null);
    expect(await delivered(envelope, get().blobs)).toBe('handed input input');
  });

  test('a program that ends while a file is on its way ends like any other', async () => {
    const size = 16 * 1024 * 1024;
    const blob = await get().blobs.put('test', Buffer.alloc(size, 'x'), { signal: never });
    const host: ExecHost = { ...echoHost, findFile: async () => ({ filename: 'a.bin', blob }) };
    const code = `import asyncio
task = asyncio.ensure_future(ctx_tools.fetch_file("fi:a"))
await ctx_tools.fetch_ctx("x")
print("out")`;
    const { envelope } = await ran(get().sandbox, request('python', code), { host });
    expect(envelope).toMatchObject({ ok: true, user_out_tail: 'out\n' });
  });
}
