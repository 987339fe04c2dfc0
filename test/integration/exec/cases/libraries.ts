import { expect, test } from 'vitest';
import { libraries } from '../../../../supervisor/cell/libraries.ts';
import { contract, never, ran, request } from '../kit.ts';
import type { Opened } from './programs.ts';

const csv = 'month,sold\nJanuary,3\nFebruary,5\nMärz,8\n';

const report = `
import matplotlib.pyplot as plt
import pandas as pd
from openpyxl import load_workbook
from PIL import Image
sold = pd.read_csv(f"{OUTPUT_DIR}/attachments/sold.csv")
ax = sold.plot.bar(x="month", y="sold", title="Sold – März")
for kind in ("png", "svg", "pdf"): ax.figure.savefig(f"{OUTPUT_DIR}/outputs/chart.{kind}")
sold.to_excel(f"{OUTPUT_DIR}/outputs/sold.xlsx", index=False)
rows = load_workbook(f"{OUTPUT_DIR}/outputs/sold.xlsx").active.iter_rows(values_only=True)
print(list(rows)[-1], Image.open(f"{OUTPUT_DIR}/outputs/chart.png").size)`;

/** What is there beside the language, under the limits that every program has. */
export function execLibraries(get: () => Opened): void {
  // proves: exec.libraries
  test('a program makes charts and a workbook of a table', async () => {
    const { sandbox, blobs } = get();
    const blob = await blobs.put('test', Buffer.from(csv), { signal: never });
    const names = ['chart.png', 'chart.svg', 'chart.pdf', 'sold.xlsx'];
    const asked = request('python', report, {
      inputs: [{ filepath: 'attachments/sold.csv', blob, writable: false }],
      contract: contract(...names.map((name) => `outputs/${name}`)),
    });
    const { envelope } = await ran(sandbox, asked);
    expect(envelope.runtime_err_tail).toBe('');
    expect(envelope).toMatchObject({ ok: true, user_out_tail: "('März', 8) (640, 480)\n" });
    const files = envelope.artifacts.map((one) =>
      blobs.get('test', one.blob.hash, { signal: never }),
    );
    const [png, svg, pdf, xlsx] = (await Promise.all(files)).map((file) => Buffer.from(file));
    expect(png?.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    expect(String(svg)).toMatch(/<svg .*<\/svg>\s*$/s);
    expect(pdf?.subarray(0, 5).toString()).toBe('%PDF-');
    expect(xlsx?.subarray(0, 4).toString()).toBe('PK\x03\x04');
    expect(xlsx?.includes('xl/worksheets/sheet1.xml')).toBe(true);
  });

  test('every library that is announced can be imported without output', async () => {
    const code = `import importlib
for name in ${JSON.stringify(libraries)}: print(importlib.import_module(name).__name__)`;
    const { envelope } = await ran(get().sandbox, request('python', code));
    expect(envelope.runtime_err_tail).toBe('');
    expect(envelope.user_out_tail.trim().split('\n')).toEqual([...libraries]);
  });

  test('numbers are crunched in as many threads as there are processors for it', async () => {
    const code = `import os, numpy
a = numpy.ones((300, 300)); (a @ a).sum()
print(os.environ["OMP_NUM_THREADS"], len(os.listdir("/proc/self/task")) <= 2)`;
    const { envelope } = await ran(get().sandbox, request('python', code));
    expect(envelope.user_out_tail).toBe('1 True\n');
  });
}
