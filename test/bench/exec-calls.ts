import type { ExecHost, Language, Sandbox } from '../../runtime/tools/sandbox.ts';
import { never, request } from '../integration/exec-kit.ts';
import { type Figure, toFigure } from './figure.ts';
import { rawEcho } from './raw-echo.ts';

const callsEach = 2_000;
const times = 5;
/** Of one call as its frame, and about that of its answer. */
const bytes = 110;

/** Answers at once with what it was asked. */
const host: ExecHost = {
  callTool: async ({ input }) => ({ ok: true, ret: input }),
  fetchContext: async () => null,
};

/** A program that calls a tool again and again, `depth` at a time, and prints microseconds for each call. */
const programs: Readonly<Record<Language, (depth: number) => string>> = {
  python: (depth) => `import asyncio, time
text = "x" * 20
for n in range(${callsEach / 10}): await tools.a.b(text=text)
began = time.perf_counter()
for n in range(${Math.floor(callsEach / depth)}):
    ${depth === 1 ? 'await tools.a.b(text=text)' : `await asyncio.gather(*(tools.a.b(text=text) for _ in range(${depth})))`}
print((time.perf_counter() - began) * 1e6 / ${Math.floor(callsEach / depth) * depth})`,
  javascript: (depth) => `const text = 'x'.repeat(20);
for (let n = 0; n < ${callsEach / 10}; n++) await tools.a.b({ text });
const began = performance.now();
for (let n = 0; n < ${Math.floor(callsEach / depth)}; n++)
  await Promise.all(Array.from({ length: ${depth} }, () => tools.a.b({ text })));
console.log((performance.now() - began) * 1000 / ${Math.floor(callsEach / depth) * depth});`,
};

/** One call of a tool, so many at a time, beside one message of the same size over a bare socket, one at a time. */
export async function benchCalls(sandbox: Sandbox): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const language of ['python', 'javascript'] as const) {
    for (const depth of [1, 16, 256])
      figures.push(await compareCalls(sandbox, { language, depth }));
  }
  return figures;
}

async function compareCalls(
  sandbox: Sandbox,
  { language, depth }: { language: Language; depth: number },
): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = 0; n < times; n += 1) {
    ours.push(await calls(sandbox, { language, depth }));
    theirs.push(await rawEcho(language, { count: callsEach, bytes }));
  }
  return toFigure(`exec.call_${language}_${depth}_in_flight_vs_echo`, { ours, theirs, unit: 'µs' });
}

async function calls(
  sandbox: Sandbox,
  { language, depth }: { language: Language; depth: number },
): Promise<number> {
  const asked = request(language, programs[language](depth), { granted: ['a.b'] });
  for await (const event of sandbox.run(asked, host, { signal: never })) {
    if (event.kind !== 'done') continue;
    const { ok, user_out_tail, runtime_err_tail } = event.envelope;
    if (!ok) throw new Error(`the program failed: ${runtime_err_tail}`);
    return Number(user_out_tail);
  }
  throw new Error('the program gave no result');
}
