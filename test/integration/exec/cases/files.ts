import { expect, test } from 'vitest';
import { contract, delivered, ran, request } from '../kit.ts';
import { each, isOneLanguage, type Opened, type Programs, write } from './programs.ts';

type Unfit = {
  /** In outputs/. */
  readonly name: string;
  readonly left: Programs;
  /** The reason why it is not delivered. */
  readonly code: string;
};

const python = (code: string): Programs => ({ python: `import os, sys\n${code}` });

/** Files of a contract that are not delivered. */
const unfit: Readonly<Record<string, Unfit>> = {
  'a file that was not written': {
    name: 'missing.txt',
    left: python('pass'),
    code: 'missing_file',
  },
  'an empty file': {
    name: 'empty.txt',
    left: write('outputs/empty.txt', ''),
    code: 'empty_file',
  },
  'a link': {
    name: 'link.txt',
    left: python('os.symlink("/etc/ld.so.cache", "/out/outputs/link.txt")'),
    code: 'artifact_symlink_blocked',
  },
  'a file behind a linked folder': {
    name: 'folder/os-release',
    left: python('os.symlink("/usr/lib", "/out/outputs/folder")'),
    code: 'artifact_symlink_blocked',
  },
  'a hard link': {
    name: 'hard.txt',
    left: python('open("/out/b", "w").write("b"); os.link("/out/b", "/out/outputs/hard.txt")'),
    code: 'artifact_hard_link_blocked',
  },
  'a fifo': {
    name: 'fifo.txt',
    left: python('os.mkfifo("/out/outputs/fifo.txt")'),
    code: 'artifact_not_regular_file',
  },
  'a directory': {
    name: 'directory.txt',
    left: python('os.mkdir("/out/outputs/directory.txt")'),
    code: 'artifact_not_regular_file',
  },
  'a file that is there twice': {
    name: 'twice.txt',
    left: python(`os.makedirs("/out/turn_00000000000000000001/outputs")
for p in ("", "turn_00000000000000000001/"): open(f"/out/{p}outputs/twice.txt", "w").write("a")`),
    code: 'ambiguous_output',
  },
};

const table = 'day,°C\n1,7\n';
const tables = ['outputs/deep/er/a.csv', 'files/notes.csv', 'outputs/Größe 数据 😀.csv'];
const preview = { text_preview: table, line_count: 2, text_truncated: false };

/** Files that a program names in its contract, in every backend. */
export function execFiles(get: () => Opened): void {
  // A start of containers takes much longer than a file.
  if (isOneLanguage()) manyFiles(get);
  else oneFileEach(get);

  each(
    'a file below the name of the turn is the same file',
    write('turn_00000000000000000001/outputs/a.txt', 'there'),
    async (language, code) => {
      const prefixed = contract('turn_00000000000000000001/outputs/a.txt');
      const asked = request(language, code, { contract: prefixed });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/a.txt']);
    },
  );

  test('a contract outside outputs/ and files/ is refused before anything runs', async () => {
    for (const path of [
      '/etc/passwd',
      'outputs/../../x',
      'attachments/a.csv',
      'turn_other/files/x',
    ]) {
      const asked = request('python', 'print(1)', { contract: contract(path) });
      const { envelope, events } = await ran(get().sandbox, asked);
      expect(envelope.error?.code).toBe('path_refused');
      expect(events).toHaveLength(1);
    }
  });

  each(
    'inputs are real files; only files/ may be changed',
    {
      python: `import os
print(open("/out/attachments/a b.txt").read(), open("/out/turn_old/outputs/o.txt").read())
print(os.path.islink("/out/attachments"), os.path.islink("/out/attachments/a b.txt"))
for path in ("/out/attachments/a b.txt", "/out/turn_old/outputs/o.txt", "/out/attachments/new"):
    try: open(path, "w"); print("written")
    except OSError as error: print(error.errno in (13, 30))
open("/out/files/sub/w.txt", "a").write(" more")`,
    },
    async (language, code) => {
      const { blobs, sandbox } = get();
      const signal = new AbortController().signal;
      const file = async (filepath: string, writable = false) => {
        const blob = await blobs.put('test', Buffer.from(`bytes of ${filepath}`), { signal });
        return { filepath, blob, writable };
      };
      const inputs = await Promise.all([
        file('attachments/a b.txt'),
        file('turn_old/outputs/o.txt'),
        file('files/sub/w.txt', true),
      ]);
      const asked = request(language, code, { inputs, contract: contract('files/sub/w.txt') });
      const { envelope } = await ran(sandbox, asked);
      expect(envelope).toMatchObject({ error: null, runtime_err_tail: '' });
      expect(envelope.user_out_tail).toBe(
        'bytes of attachments/a b.txt bytes of turn_old/outputs/o.txt\nFalse False\nTrue\nTrue\nTrue\n',
      );
      expect(await delivered(envelope, blobs)).toBe('bytes of files/sub/w.txt more');
    },
  );
}

/** One program leaves all of them. */
function manyFiles(get: () => Opened): void {
  // proves: exec.contract, i6.own-files-only
  each(
    'files are delivered with their bytes, whatever else is named and not delivered',
    joined([
      ...tables.map((path) => write(path, table)),
      ...Object.values(unfit).map(({ left }) => left),
    ]),
    async (language, code) => {
      const refused = Object.values(unfit).map(({ name, code: reason }) => ({
        filepath: `outputs/${name}`,
        code: reason,
      }));
      const named = contract(...tables, ...refused.map(({ filepath }) => filepath));
      const asked = request(language, code, { contract: named });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.error).toMatchObject({ code: 'missing_output_files', files: refused });
      for (const { filepath, code: reason } of refused)
        expect(envelope.report_text).toContain(`${filepath}: ${reason}`);
      expect(envelope.artifacts).toMatchObject(
        tables.map((filepath) => ({ filepath, mime: 'text/csv', preview })),
      );
      for (const artifact of envelope.artifacts) {
        const one = { ...envelope, artifacts: [artifact] };
        expect(await delivered(one, get().blobs)).toBe(table);
      }
    },
  );
}

/** A program for each file. */
function oneFileEach(get: () => Opened): void {
  for (const path of tables) {
    each(`${path} is delivered with its bytes`, write(path, table), async (lang, code) => {
      const asked = request(lang, code, { contract: contract(path) });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope.error).toBe(null);
      expect(envelope.artifacts).toMatchObject([{ filepath: path, mime: 'text/csv', preview }]);
      expect(await delivered(envelope, get().blobs)).toBe(table);
      expect(envelope.report_text).toContain(`### ${path}, whole (2 lines)`);
    });
  }

  for (const [what, { name, left, code: reason }] of Object.entries(unfit)) {
    const path = `outputs/${name}`;
    // proves: exec.contract, i6.own-files-only
    each(`${what} is named and not delivered`, left, async (language, code) => {
      const also = `${code}\n${write('outputs/good.txt', 'good')[language]}`;
      const asked = request(language, also, { contract: contract(path, 'outputs/good.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      const missing = reason === 'missing_file';
      expect(envelope.error).toMatchObject({
        code: missing ? 'missing_output_files' : 'artifact_validation_failed',
        files: [{ filepath: path, code: reason }],
      });
      expect(envelope.report_text).toContain(`${path}: ${reason}`);
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/good.txt']);
    });
  }
}

/** The programs in Python, one after the other. */
function joined(programs: readonly Programs[]): Programs {
  return { python: programs.map(({ python: code = '' }) => code).join('\n') };
}
