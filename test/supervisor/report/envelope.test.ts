import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { toTurnId } from '../../../runtime/timeline/ids.ts';
import type {
  ContractItem,
  ExecArtifact,
  ExecRequest,
  LeftoverFile,
} from '../../../runtime/tools/ports/sandbox.ts';
import { toEnvelope } from '../../../supervisor/report/envelope.ts';
import { Phases } from '../../../supervisor/report/phases.ts';
import { watchOutput } from '../../../supervisor/report/program-output.ts';

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const exit = { code: 0, outOfMemory: false, lost: false };
const item: ContractItem = { filepath: 'outputs/a.txt', description: '', visibility: 'external' };
const limits = {
  timeoutMs: 90_000,
  memoryMb: 512,
  fileMb: 64,
  workspaceMb: 256,
  processes: 64,
};

type Ended = {
  readonly out?: string;
  readonly err?: string;
  readonly contract?: readonly ContractItem[];
  readonly left?: readonly LeftoverFile[];
  readonly killed?: 'timeout' | 'memory' | 'file_size' | 'cancelled';
  readonly artifacts?: readonly ExecArtifact[];
};

async function ended({ out = '', err = '', contract = [], left = [], ...more }: Ended) {
  const { killed = null, artifacts = [] } = more;
  const request: ExecRequest = {
    ...{ id: 'exec_1', tenant: 't', turn: toTurnId('turn_1'), language: 'python', code: '' },
    ...{ contract, inputs: [], granted: [], limits },
  };
  const read = async (text: string) => {
    const output = watchOutput(Readable.from([Buffer.from(text)]), () => undefined);
    await output.ended;
    return output;
  };
  return toEnvelope(request, {
    ...{ backend: 'process', memory: 'kernel', exit, killed },
    delivery: { artifacts, unfit: [], left },
    ...{ stdout: await read(out), stderr: await read(err), phases: new Phases(clock) },
  });
}

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');

// proves: exec.whole-output
test('a result that fits is in the report unchanged, and nowhere else', async () => {
  const envelope = await ended({ out: 'forty-two\n' });
  expect(envelope.report_text).toContain('## Output\n```\nforty-two\n```');
  expect(envelope).not.toHaveProperty('user_out');
});

test('a long result shows its beginning and its end, states what is missing, and is kept whole', async () => {
  const out = lines(5_000);
  const { report_text, user_out, user_out_tail } = await ended({ out });
  expect(report_text).toMatch(/## Output \(the beginning and the end of 48,890 characters\)/);
  expect(report_text).toContain('line 0\n');
  expect(report_text).toContain('line 4999\n');
  expect(report_text).toMatch(/\n\[[\d,]+ characters are left out here\]\n/);
  expect(report_text.length).toBeLessThan(17_000);
  expect(user_out).toBe(out);
  expect(user_out_tail).toBe(out.slice(-4_000));
});

test('only the first mebibyte of a flood is kept, and its real length is reported', async () => {
  const { report_text, user_out } = await ended({ out: 'x'.repeat(3_000_000) });
  expect(user_out).toHaveLength(1_048_576);
  expect(report_text).toContain('of 3,000,000 characters');
});

test('the end of a long output states the length of the output', async () => {
  const { report_text } = await ended({ out: lines(5_000), err: lines(5_000), contract: [item] });
  expect(report_text).toContain('## Output (the last 4,000 of 48,890 characters)');
  expect(report_text).toContain('## Warnings (the last 4,000 of 48,890 characters)');
});

test('the error of a program that reached a limit names the limit', async () => {
  expect((await ended({ killed: 'timeout' })).error?.message).toContain('90 s');
  expect((await ended({ killed: 'memory' })).error?.message).toContain('512 MiB');
  const { error } = await ended({ killed: 'file_size' });
  expect(error?.message).toContain('64 MiB');
  expect(error?.message).toContain('256 MiB');
});

// proves: exec.left-reported
test('undeclared files are listed with their sizes, up to a maximum', async () => {
  const left = Array.from({ length: 25 }, (_, n) => ({
    filepath: `outputs/${n}.csv`,
    size: 1_234,
  }));
  for (const asked of [[], [item]]) {
    const { report_text, left: kept } = await ended({ left, contract: asked });
    expect(report_text).toContain('## Not delivered');
    expect(report_text).toContain('params.contract');
    expect(report_text).toContain('\n- outputs/19.csv (1,234 bytes)\n- and 5 more');
    expect(kept).toEqual(left);
  }
  expect(await ended({ out: 'x' })).not.toHaveProperty('left');
});

// proves: exec.steered
test('the files of a program that was stopped are reported as kept, and whether the user has them', async () => {
  const file = (filepath: string, visibility: 'external' | 'internal'): ExecArtifact => ({
    ...{ filepath, description: '', visibility, mime: 'text/csv' },
    blob: { hash: 'sha256:0', size: 3 },
  });
  const artifacts = [file('outputs/a.csv', 'external'), file('outputs/b.csv', 'internal')];
  const stopped = await ended({ artifacts, killed: 'cancelled', contract: [item] });
  expect(stopped.report_text).toContain(
    `## Files
Kept, although the program failed; the user has those that are external.
- outputs/a.csv (3 bytes, text/csv, external)
- outputs/b.csv (3 bytes, text/csv, internal)`,
  );
  const whole = await ended({ artifacts, contract: [item] });
  expect(whole.report_text).toContain('## Files\n- outputs/a.csv');
});

// proves: exec.cut-reported
test('a file of the maximum size is marked as possibly cut', async () => {
  const of = (filepath: string, size: number): ExecArtifact => ({
    ...{ filepath, description: '', visibility: 'external', mime: 'text/csv' },
    blob: { hash: 'sha256:0', size },
  });
  const bytesMax = limits.fileMb * 1024 * 1024;
  const artifacts = [of('outputs/cut.csv', bytesMax), of('outputs/whole.csv', bytesMax - 1)];
  const { report_text } = await ended({ artifacts, killed: 'file_size', contract: [item] });
  expect(report_text).toMatch(
    /outputs\/cut.csv \(.*\) – may be cut: the program reached its file size limit\n/,
  );
  expect(report_text).toMatch(/outputs\/whole.csv \([^)]*\)$/m);
});
