import type { ExecHost, Language, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { echoHost, never, noLimits, request } from '../../integration/exec/kit.ts';
import { type Figure, toFigure } from '../figure.ts';
import { type EchoKind, rawEcho } from './raw-echo.ts';

const times = 9;
/**
 * Before it counts, because a worker lives long and its code is compiled in the course of many calls: the number of programs, and of calls
 * or bytes in each.
 */
const warmUp = { programs: 5, calls: 9_000, bytes: 50_000_000 };

const echoes: Readonly<Record<EchoKind, string>> = {
  bytes: 'echo',
  whole: 'whole_echo',
  json: 'json_echo',
};

type Load = {
  readonly name: string;
  /** Of the text that each call carries there and back. */
  readonly bytes: number;
  /** Calls at the same time. */
  readonly depth: number;
  readonly count: number;
};

const sizes: readonly Load[] = [
  { name: '100_b', bytes: 100, depth: 1, count: 2_000 },
  { name: '10_kb', bytes: 10_000, depth: 1, count: 1_000 },
  { name: '1_mb', bytes: 1_000_000, depth: 1, count: 40 },
];
const depths: readonly Load[] = [
  { name: '16_in_flight', bytes: 100, depth: 16, count: 4_000 },
  { name: '256_in_flight', bytes: 100, depth: 256, count: 4_096 },
];

/** Answers at once with what it was asked. */
const host: ExecHost = {
  ...echoHost,
  callTool: async ({ input }) => ({ ok: true, ret: input }),
};

/** A program that calls a tool again and again and prints microseconds for each call. */
const programs: Readonly<Record<Language, (load: Load) => string>> = {
  python: ({ bytes, depth, count }) => `import asyncio, time
text = "x" * ${bytes}
async def turn():
    ${depth === 1 ? 'await tools.a.b(text=text)' : `await asyncio.gather(*(tools.a.b(text=text) for _ in range(${depth})))`}
for n in range(${Math.ceil(count / 10 / depth)}): await turn()
began = time.perf_counter()
for n in range(${count / depth}): await turn()
print((time.perf_counter() - began) * 1e6 / ${count})`,
  javascript: ({ bytes, depth, count }) => `const text = 'x'.repeat(${bytes});
const call = () => tools.a.b({ text });
const turn = () => ${depth === 1 ? 'call()' : `Promise.all(Array.from({ length: ${depth} }, call))`};
for (let n = 0; n < ${Math.ceil(count / 10 / depth)}; n++) await turn();
const began = performance.now();
for (let n = 0; n < ${count / depth}; n++) await turn();
console.log((performance.now() - began) * 1000 / ${count});`,
};

/**
 * One call of a tool and its answer, by size and by how many at a time, beside one message of the same size and its
 * answer over a bare Unix socket, one at a time: as bytes, as bytes that are answered when all have come, and as JSON.
 */
export async function benchCalls(sandbox: Sandbox): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const language of ['python', 'javascript'] as const) {
    const side = { sandbox, language };
    for (const load of sizes) {
      figures.push(...(await compareCalls(side, load, ['bytes', 'whole', 'json'])));
    }
    for (const load of depths) figures.push(...(await compareCalls(side, load, ['bytes'])));
  }
  return figures;
}

type Side = { readonly sandbox: Sandbox; readonly language: Language };

async function compareCalls(
  side: Side,
  load: Load,
  kinds: readonly EchoKind[],
): Promise<readonly Figure[]> {
  const ours: number[] = [];
  const theirs = new Map<EchoKind, number[]>(kinds.map((kind) => [kind, []]));
  for (let n = 0; n < warmUp.programs; n += 1) await calls(side, atFirst(load));
  for (const kind of kinds) await rawEcho(side.language, { ...load, kind });
  for (let n = 0; n < times; n += 1) {
    ours.push(await calls(side, load));
    for (const [kind, all] of theirs) all.push(await rawEcho(side.language, { ...load, kind }));
  }
  return [...theirs].map(([kind, all]) => {
    const id = `exec.call_${side.language}_${load.name}_vs_${echoes[kind]}`;
    return toFigure(id, { ours, theirs: all, unit: 'µs' });
  });
}

function atFirst(load: Load): Load {
  const count = Math.min(warmUp.calls, warmUp.bytes / load.bytes);
  return { ...load, count: Math.max(load.count, count - (count % load.depth)) };
}

async function calls({ sandbox, language }: Side, load: Load): Promise<number> {
  const limits = { ...noLimits, timeoutMs: 120_000 };
  const asked = request(language, programs[language](load), { granted: ['a.b'], limits });
  for await (const event of sandbox.run(asked, host, { signal: never })) {
    if (event.kind !== 'done') continue;
    const { ok, user_out_tail, report_text } = event.envelope;
    if (!ok) throw new Error(`the program failed: ${report_text}`);
    return Number(user_out_tail);
  }
  throw new Error('the program gave no result');
}
