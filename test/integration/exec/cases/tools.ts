import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ExecHost, Language } from '../../../../runtime/tools/ports/sandbox.ts';
import { echoHost, ran, request } from '../kit.ts';
import { each, type Opened } from './programs.ts';

/** What a program may ask of the runtime, in every backend. */
export function execTools(get: () => Opened): void {
  /** Of a program that compares what it sent with what came back. */
  const findsTheSame = async (language: Language, code: string) => {
    const asked = request(language, code, { granted: ['a.b'] });
    const { envelope } = await ran(get().sandbox, asked);
    expect(envelope.report_text).toContain('same');
    expect(envelope.user_out_tail).toBe('same\n');
  };

  each(
    'tools answer, with one name and with several',
    {
      python: `a = await tools.weather.query(day="Monday", n=[1, 2.5, None, "é😀"])
b = await tools.mcp.maps.find({"place": "here"})
print(a["tool"], a["input"], b["tool"], b["input"])`,
      javascript: `const a = await tools.weather.query({ day: 'Monday', n: [1, 2.5, null, 'é😀'] });
const b = await tools.mcp.maps.find({ place: 'here' });
console.log(a.tool, JSON.stringify(a.input), b.tool, JSON.stringify(b.input));`,
    },
    async (language, code) => {
      const granted = ['weather.query', 'mcp.maps.find'];
      const { envelope, events } = await ran(get().sandbox, request(language, code, { granted }));
      expect(envelope.error).toBe(null);
      expect(envelope.user_out_tail).toMatch(/^weather\.query .*é😀.* mcp\.maps\.find .*here/);
      expect(events.filter(({ kind }) => kind !== 'output').map(({ kind }) => kind)).toEqual([
        'ready',
        ...['tool_called', 'tool_finished', 'tool_called', 'tool_finished'],
        'done',
      ]);
    },
  );

  each(
    'a tool can be looked at without being called, and nearly any name is one of a tool',
    {
      python: `print(tools.a.b, f"{tools.a.b}", (await tools.a.name())["tool"], (await tools.length.call())["tool"])`,
      javascript: `console.log(tools.a.b, \`\${await tools.a.b}\`, (await tools.a.name()).tool, (await tools.length.call()).tool);
if (JSON.stringify({ tool: tools.a.b }) !== '{}') throw new Error('a tool was called');`,
    },
    async (language, code) => {
      const granted = ['a.name', 'length.call'];
      const { envelope } = await ran(get().sandbox, request(language, code, { granted }));
      expect(envelope.error).toBe(null);
      expect(envelope.user_out_tail).toBe('<tool a.b> <tool a.b> a.name length.call\n');
    },
  );

  each(
    'agent_io_tools.tool_call gives the whole result, and takes parameters as text',
    {
      python: `r = await agent_io_tools.tool_call(tool_id="a.b", params={"x": 1}, call_reason="why")
s = await agent_io_tools.tool_call(fn=tools.a.b, params='{"x": 2}')
t = await agent_io_tools.tool_call(tool_id="no.no", params={})
print(r["ok"], r["error"], r["ret"]["input"]["x"], s["ret"]["input"]["x"], t["ok"], t["error"]["code"])`,
      javascript: `const r = await agent_io_tools.tool_call({ tool_id: 'a.b', params: { x: 1 }, call_reason: 'why' });
const s = await agent_io_tools.tool_call({ fn: tools.a.b, params: '{"x": 2}' });
const t = await agent_io_tools.tool_call({ tool_id: 'no.no', params: {} });
console.log(r.ok ? 'True' : '', r.error ?? 'None', r.ret.input.x, s.ret.input.x, t.ok ? '' : 'False', t.error.code);`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code, { granted: ['a.b'] }));
      expect(envelope.user_out_tail).toBe('True None 1 2 False tool_not_visible\n');
    },
  );

  each(
    'the context can be read by path',
    {
      python:
        'asked = await ctx_tools.fetch_ctx("ar:t.user.prompt")\nprint(asked["ret"]["text"], asked["err"])',
      javascript:
        'const { ret, err } = await ctx_tools.fetch_ctx("ar:t.user.prompt"); console.log(ret.text, err ?? "None")',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.user_out_tail).toBe('text of ar:t.user.prompt None\n');
    },
  );

  // proves: i6.granted-only
  each(
    'a tool that was not granted is never performed, whatever the program sends',
    {
      python: `for name in ("a.hidden", "__class__", "react.read", "a.b.c"):
    print((await agent_io_tools.tool_call(tool_id=name, params={}))["error"]["code"])`,
      javascript: `for (const name of ['a.hidden', '__proto__', 'react.read', 'a.b.c'])
  console.log((await agent_io_tools.tool_call({ tool_id: name, params: {} })).error.code)`,
    },
    async (language, code) => {
      const { envelope, events } = await ran(
        get().sandbox,
        request(language, code, { granted: ['a.b'] }),
      );
      expect(envelope.user_out_tail).toBe('tool_not_visible\n'.repeat(4));
      expect(events.filter(({ kind }) => kind === 'tool_called')).toEqual([]);
    },
  );

  // proves: exec.languages
  each(
    'calls are performed in parallel',
    {
      python: `import asyncio
print(sum(await asyncio.gather(*(tools.a.meet(n=n) for n in range(100)))))`,
      javascript: `const all = await Promise.all([...Array(100).keys()].map((n) => tools.a.meet({ n })));
console.log(all.reduce((a, b) => a + b));`,
    },
    async (language, code) => {
      const host = meeting(50);
      const asked = request(language, code, { granted: ['a.meet'] });
      const { envelope } = await ran(get().sandbox, asked, { host });
      expect(envelope.user_out_tail).toBe('4950\n');
    },
  );

  each(
    'a large input and a larger result arrive whole',
    {
      python: `text = await tools.a.large(text="ü😀" * 500_000)
print(len(text.encode()), text[:3], text[-2:])`,
      javascript: `const text = await tools.a.large({ text: 'ü😀'.repeat(500_000) });
console.log(Buffer.byteLength(text), [...text].slice(0, 3).join(''), text.slice(-3));`,
    },
    async (language, code) => {
      const host: ExecHost = {
        ...echoHost,
        callTool: async ({ input }) => ({ ok: true, ret: String(input['text']).repeat(4) }),
      };
      const asked = request(language, code, { granted: ['a.large'] });
      const { envelope } = await ran(get().sandbox, asked, { host });
      expect(envelope.user_out_tail).toBe('12000000 ü😀ü ü😀\n');
    },
  );

  each(
    'large texts asked for at once, far more than the stream holds, are all what they were',
    {
      python: `import asyncio
given = [("é" if n % 5 == 0 else "x") * 120_000 + str(n) for n in range(60)]
for part in (given, given[::-1], given):
    asked = []
    for text in part:
        asked.append(asyncio.ensure_future(tools.a.b(text=text)))
        await asyncio.sleep(0)
    back = await asyncio.gather(*asked)
    assert [one["input"]["text"] for one in back] == part
print("same")`,
      javascript: `const { deepStrictEqual } = require('node:assert');
const given = Array.from({ length: 60 }, (_, n) => (n % 5 === 0 ? 'é' : 'x').repeat(120_000) + n);
for (const part of [given, [...given].reverse(), given]) {
  const asked = [];
  for (const [n, text] of part.entries()) {
    asked.push(tools.a.b({ text }));
    if (n % 4 > 0) await null;
  }
  const back = await Promise.all(asked);
  deepStrictEqual(back.map(({ input }) => input.text), part);
}
console.log('same');`,
    },
    findsTheSame,
  );

  each(
    'a text of up to some megabytes is what it was, whatever went before and beside it',
    {
      python: `sizes = (1_200_000, 1_031_914, 1_031_913, 700_000, 262_144, 262_143, 3_000, 700_000)
for n, size in enumerate(sizes):
    for unit in ("abcdefghij"[n], "é"):
        given = {"first": unit * size, "second": "y" * size, "third": "short"}
        assert (await tools.a.b(given))["input"] == given, size
print("same")`,
      javascript: `const { deepStrictEqual } = require('node:assert');
const sizes = [1_200_000, 1_031_914, 1_031_913, 700_000, 262_144, 262_143, 3_000, 700_000];
for (const [n, size] of sizes.entries()) {
  for (const unit of ['abcdefghij'[n], 'é']) {
    const given = { first: unit.repeat(size), second: 'y'.repeat(size), third: 'short' };
    deepStrictEqual((await tools.a.b(given)).input, given);
  }
}
console.log('same');`,
    },
    findsTheSame,
  );

  test('memory of a large text is reused for the next one', async () => {
    const code = `import resource
text = "x" * 1_000_000
for n in range(10): await tools.a.b(text=text)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for n in range(10): await tools.a.b(text=text)
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print("few" if faults < 10 * 50 else faults)`;
    const { envelope } = await ran(get().sandbox, request('python', code, { granted: ['a.b'] }));
    expect(envelope.user_out_tail).toBe('few\n');
  });

  each(
    'texts of every size and kind reach a tool and come back as they were, under every name',
    {
      python: `parts = ["x", "é", "中", "😀", "\\\\", '"', "\\n", "\\0", "\\ufeff", "\\r\\n"]
for size in (1, 2_047, 2_048, 100_000):
    given = {f"{part}{n}": part * size for n, part in enumerate(parts)} | {"list": [{"text": "é" * size}, "x" * size]}
    back = (await tools.a.b(given))["input"]
    assert back == given, size
odd = (await tools.a.b(half="\\ud800" + "x" * 5_000, x="y" * 5_000))["input"]
assert odd == {"half": "?" + "x" * 5_000, "x": "y" * 5_000}
for key in ("\\ud800", 1, "1"):
    last = "?" if key == "\\ud800" else "1"
    assert (await tools.a.b({"1": "a", key: "x" * 5_000}))["input"][last] == "x" * 5_000
assert (await tools.a.b({"1": "x" * 5_000, 1: "a"}))["input"] == {"1": "a"}
print("same")`,
      javascript: `const { deepStrictEqual } = require('node:assert');
const parts = ['x', 'é', '中', '😀', '\\\\', '"', '\\n', '\\0', '\\ufeff', '\\r\\n', '\\ud800'];
for (const size of [1, 2_047, 2_048, 100_000]) {
  const given = Object.fromEntries(parts.map((part, n) => [part + n, part.repeat(size)]));
  given.list = [{ text: 'é'.repeat(size) }, 'x'.repeat(size)];
  Object.defineProperty(given, '__proto__', { value: 'x'.repeat(size), enumerable: true });
  const { input } = await tools.a.b(given);
  deepStrictEqual(Object.entries(input), Object.entries(given));
}
console.log('same');`,
    },
    findsTheSame,
  );

  each(
    'a call that is not finished when the program ends is stopped',
    {
      python: `import asyncio
task = asyncio.ensure_future(tools.a.slow())
await ctx_tools.fetch_ctx("x")
print("out")`,
      javascript: `tools.a.slow(); await ctx_tools.fetch_ctx('x'); console.log('out'); process.exit(0)`,
    },
    async (language, code) => {
      const stopped: string[] = [];
      const host: ExecHost = {
        ...echoHost,
        callTool: async ({ tool }, { signal }) => {
          await once(signal, 'abort');
          stopped.push(tool);
          throw signal.reason;
        },
      };
      const asked = request(language, code, { granted: ['a.slow'] });
      const { envelope } = await ran(get().sandbox, asked, { host });
      expect(envelope).toMatchObject({ ok: true, user_out_tail: 'out\n' });
      expect(stopped).toEqual(['a.slow']);
    },
  );
}

/** Answers nobody before `guests` are there at the same time; from then on everybody. */
function meeting(guests: number): ExecHost {
  let open: () => void = () => undefined;
  let here = 0;
  const full = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    ...echoHost,
    callTool: async ({ input }) => {
      here += 1;
      if (here === guests) open();
      await full;
      return { ok: true, ret: input['n'] ?? null };
    },
  };
}
