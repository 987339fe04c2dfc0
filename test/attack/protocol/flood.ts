import { describe, expect, test } from 'vitest';
import type { Language, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { echoHost, noLimits, ran, request } from '../../integration/exec/kit.ts';
import { jsonSlowness, threadMs } from '../../tools/machine-speed.ts';
import { isFullMatrix } from '../../tools/runs.ts';

/** Frames of 8 MiB that a program repeats as quickly as they are taken, as an expression of its language. */
type Flood = Readonly<Record<Language, string>>;

const head = (tool: string) => `{"type":"tool_call","tool":"${tool}","reason":"","id":"`;
const room = 8 * 1024 * 1024 - 100;
/** As often as there is room; with as many ends, if each has one. */
const repeated = (unit: string, [begin, end]: readonly [string, string], close = ''): Flood => {
  const times = Math.floor(room / (unit.length + close.length));
  const [first, one, other, last] = [begin, unit, close, end].map((text) => JSON.stringify(text));
  return {
    python: `${first} + ${one} * ${times} + ${other} * ${times} + ${last}`,
    javascript: `${first} + ${one}.repeat(${times}) + ${other}.repeat(${times}) + ${last}`,
  };
};

/** What costs a parser the most, by what it is. */
const floods: Readonly<Record<string, Flood>> = {
  objects: repeated('{},', ['{"k":[', '{}]}']),
  brackets: repeated('[', ['{"k":', '}'], ']'),
  'brackets that are not closed': repeated('[', ['{"k":', '}']),
  names: {
    python: '"{" + ",".join(f\'"name {n}":0\' for n in range(9_000)) + "}"',
    javascript:
      '"{" + Array.from({ length: 9_000 }, (_, n) => "\\"name " + n + "\\":0").join() + "}"',
  },
  escapes: repeated('\\n\\n', ['{"k":"', '"}']),
  text: repeated('aa', ['{"k":"', '"}']),
  nothing: { python: '"{}"', javascript: '"{}"' },
};

function flooding(input: string, tool: string, language: Language): string {
  if (language === 'python') {
    return `import os, struct
head, tail = ${JSON.stringify(head(tool))}, '","input":' + ${input} + "}"
os.set_blocking(3, True)
n = 0
while True:
    body = (head + str(n) + tail).encode()
    os.write(3, struct.pack(">I", len(body)))
    rest = memoryview(body)
    while rest: rest = rest[os.write(3, rest):]
    n += 1`;
  }
  return `const { writeSync } = require('node:fs');
const [head, tail] = [${JSON.stringify(head(tool))}, '","input":' + ${input} + '}'];
const wait = new Int32Array(new SharedArrayBuffer(4));
const write = (bytes) => {
  for (let at = 0; at < bytes.length; ) {
    try { at += writeSync(3, bytes, at); } catch { Atomics.wait(wait, 0, 0, 1); }
  }
};
for (let n = 0; ; n += 1) {
  const body = Buffer.from('0000' + head + n + tail);
  body.writeUInt32BE(body.length - 4, 0);
  write(body);
}`;
}

/** What two such programs cost their worker: processor time of its longest turn of the loop, and memory. */
async function flooded(sandbox: Sandbox, programs: readonly string[], timeoutMs: number) {
  const limits = { ...noLimits, timeoutMs };
  const granted = ['a.b'];
  const before = usedBytes();
  let [turnMs, most, cpuMs] = [0, before, threadMs()];
  const look = () => {
    const now = threadMs();
    turnMs = Math.max(turnMs, now - cpuMs);
    most = Math.max(most, usedBytes());
    cpuMs = threadMs();
  };
  const timer = setInterval(look, 1);
  const ends = await Promise.all(
    programs.map((code, n) =>
      ran(sandbox, request(n % 2 === 0 ? 'python' : 'javascript', code, { granted, limits }), {
        host: { ...echoHost, callTool: async () => ({ ok: true, ret: null }) },
      }),
    ),
  );
  clearInterval(timer);
  const reasons = ends.map(({ envelope }) => envelope.kill_reason);
  return { turnMs, moreMb: (most - before) / 1e6, reasons };
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const floodMs = 3_000;
const moreMbMax = 400;
/** On a machine of usual speed. */
const turnMsMax = 100;

/** Programs that send as much as they can and take nothing, over any backend; some of the floods where that is enough. */
export function floodSuite(get: () => Sandbox, { isSample = false } = {}): void {
  const some = isSample && !isFullMatrix;
  const chosen = Object.entries(floods).filter(([name]) => !some || name === 'objects');
  describe.each(['a.b', 'a.hidden'])('a flood of calls of %s, of which a.b is granted', (tool) => {
    test.each(chosen)('of %s, from two programs at once', async (name, flood) => {
      const programs = (['python', 'javascript'] as const).map((language) =>
        flooding(flood[language], tool, language),
      );
      // What ends early is given all the time that a busy machine takes to begin.
      const isBroken = name.includes('not closed');
      const seen = await flooded(get(), programs, isBroken ? noLimits.timeoutMs : floodMs);
      const ended = isBroken ? 'protocol' : 'timeout';
      expect(seen.reasons).toEqual([ended, ended]);
      expect(seen.moreMb).toBeLessThan(moreMbMax);
      expect(seen.turnMs).toBeLessThan(turnMsMax * jsonSlowness());
    });
  });
}
