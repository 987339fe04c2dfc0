import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFullMatrix } from '../../../tools/runs.ts';
import { engineMsMax } from '../../../tools/services/docker.ts';
import { contract, delivered, ran, request } from '../kit.ts';
import { execArchives } from './archives.ts';
import { execEdges } from './edges.ts';
import { execEnds } from './ends.ts';
import { execHandles } from './handles.ts';
import { execLeft } from './left-open.ts';
import { execLibraries } from './libraries.ts';
import {
  bothLanguages,
  each,
  type Opened,
  type Programs,
  withLanguages,
  write,
} from './programs.ts';
import { execResults } from './results.ts';
import { execSlips } from './slips.ts';
import { execTools } from './tools.ts';

const parts = {
  results: execResults,
  files,
  ends: execEnds,
  tools: execTools,
  slips: execSlips,
  archives: execArchives,
  edges: execEdges,
  handles: execHandles,
  libraries: execLibraries,
} as const;
type Part = keyof typeof parts;

const all: readonly Part[] = Object.keys(parts).filter((name): name is Part => name in parts);

/** What depends on the cell that a backend makes; the rest is code of the supervisor, which is the same everywhere. */
export const cellParts: readonly Part[] = ['results', 'files', 'ends', 'handles', 'libraries'];

type Extent = {
  /** The parts that run; with `TIMELOOM_MATRIX=full` at least those of `full`. */
  readonly parts?: readonly Part[];
  readonly full?: readonly Part[];
  /** Programs of one language show it; with `TIMELOOM_MATRIX=full` those of each. */
  readonly oneLanguage?: boolean;
  /** Cases run side by side. */
  readonly concurrent?: boolean;
};

/**
 * What every backend promises about files, results and how a program ends. One backend runs every case in both
 * languages at every change; the others the cases that depend on them, and all in the long run.
 */
export function execConformance(
  name: string,
  open: () => Promise<Opened>,
  { parts: usual = all, full = all, oneLanguage = false, concurrent = false }: Extent = {},
): void {
  const some = isFullMatrix ? full : usual;
  describe(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    }, engineMsMax);
    afterAll(() => opened.sandbox[Symbol.asyncDispose]());
    const languages = oneLanguage && !isFullMatrix ? (['python'] as const) : bothLanguages;
    // The clock of a backend is one for all its programs: those that let time pass run one after the other.
    for (const part of some) {
      const run = () => withLanguages(languages, () => parts[part](() => opened));
      describe(part, { concurrent: concurrent && part !== 'ends' }, run);
    }
  });
}

const python = (code: string): Programs => ({ python: `import os, sys\n${code}` });

/** A program, the contract it runs under, and the reason its one file is not delivered. */
const unfit: Readonly<Record<string, readonly [Programs, string, string]>> = {
  'a file that was not written': [python('pass'), 'outputs/a.txt', 'missing_file'],
  'an empty file': [write('outputs/a.txt', ''), 'outputs/a.txt', 'empty_file'],
  'a link': [
    python('os.symlink("/etc/ld.so.cache", "/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_symlink_blocked',
  ],
  'a file behind a linked folder': [
    python('os.symlink("/usr/lib", "/out/outputs/d")'),
    'outputs/d/os-release',
    'artifact_symlink_blocked',
  ],
  'a hard link': [
    python('open("/out/b", "w").write("b"); os.link("/out/b", "/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_hard_link_blocked',
  ],
  'a fifo': [
    python('os.mkfifo("/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_not_regular_file',
  ],
  'a directory': [
    python('os.mkdir("/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_not_regular_file',
  ],
  'a file that is there twice': [
    python(`os.makedirs("/out/turn_00000000000000000001/outputs")
for p in ("", "turn_00000000000000000001/"): open(f"/out/{p}outputs/a.txt", "w").write("a")`),
    'outputs/a.txt',
    'ambiguous_output',
  ],
};

function files(get: () => Opened): void {
  execLeft(get);

  const unicode = 'outputs/Größe 数据 😀.csv';
  for (const path of ['outputs/deep/er/a.csv', 'files/notes.csv', unicode]) {
    each(
      `${path} is delivered with its bytes`,
      write(path, 'day,°C\n1,7\n'),
      async (lang, code) => {
        const asked = request(lang, code, { contract: contract(path) });
        const { envelope } = await ran(get().sandbox, asked);
        expect(envelope.error).toBe(null);
        const preview = { text_preview: 'day,°C\n1,7\n', line_count: 2, text_truncated: false };
        expect(envelope.artifacts).toMatchObject([{ filepath: path, mime: 'text/csv', preview }]);
        expect(await delivered(envelope, get().blobs)).toBe('day,°C\n1,7\n');
        expect(envelope.report_text).toContain(`### ${path}, whole (2 lines)`);
      },
    );
  }

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

  for (const [what, [programs, path, reason]] of Object.entries(unfit)) {
    // proves: exec.contract, i6.own-files-only
    each(`${what} is named and not delivered`, programs, async (language, code) => {
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
