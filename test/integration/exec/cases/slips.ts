import { expect } from 'vitest';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import type { ExecHost } from '../../../../runtime/tools/ports/sandbox.ts';
import { echoHost, ran, request } from '../kit.ts';
import { each, type Opened, type Programs } from './programs.ts';

/** What a program hears of calls that fail, and of its own slips, in every backend. */
export function execSlips(get: () => Opened): void {
  const failing: ExecHost = {
    ...echoHost,
    callTool: async ({ tool }) => {
      if (tool === 'a.throws') throw new Refusal('quota', 'come back later', { retryable: true });
      return { ok: false, error: { code: 'not_there', message: 'no such day', retryable: false } };
    },
  };
  const granted = ['a.throws', 'a.fails'];
  each(
    'a failed tool is a ToolError with its code, and can be caught',
    {
      python: `for name in ("throws", "fails"):
    try: await getattr(tools.a, name)()
    except ToolError as error: print(error.code, error.message, error.retryable)`,
      javascript: `for (const name of ['throws', 'fails'])
  try { await tools.a[name]() } catch (error) {
    console.log(error.code, error.message, error.retryable ? 'True' : 'False') }`,
    },
    async (language, code) => {
      const asked = request(language, code, { granted });
      const { envelope } = await ran(get().sandbox, asked, { host: failing });
      expect(envelope.user_out_tail).toBe(
        'quota come back later True\nnot_there no such day False\n',
      );
    },
  );

  const uncaught: Readonly<Record<string, Programs>> = {
    'of a tool': {
      python: 'x = 1\nasync def ask():\n    return await tools.a.fails()\nawait ask()\n',
      javascript: 'const x = 1;\nconst ask = async () =>\n  await tools.a.fails();\nawait ask();\n',
    },
    'of several at once': {
      python: 'import asyncio\nx = 1\nawait asyncio.gather(tools.a.fails(), tools.a.fails())\n',
      javascript: 'const x = 1;\n\nawait Promise.all([tools.a.fails(), tools.a.fails()]);\n',
    },
    'of a group': {
      python: `import asyncio

async with asyncio.TaskGroup() as group:
    group.create_task(tools.a.fails())`,
    },
    'of an input': {
      python: 'x = 1\n\nawait tools.a.fails(x="x" * 9_000_000)\n',
      javascript: "const x = 1;\n\nawait tools.a.fails({ x: 'x'.repeat(9_000_000) });\n",
    },
    'of a slip': {
      python: 'x = 1\n\nawait agent_io_tools.tool_call(tool_id="a" * 257)\n',
      javascript: "const x = 1;\n\nawait agent_io_tools.tool_call({ tool_id: 'a'.repeat(257) });\n",
    },
    'of a path': {
      python: 'x = 1\n\nawait ctx_tools.fetch_ctx("ar:" + "x" * 2_000)\n',
      javascript: "const x = 1;\n\nawait ctx_tools.fetch_ctx('ar:' + 'x'.repeat(2_000));\n",
    },
  };
  for (const [what, programs] of Object.entries(uncaught)) {
    // proves: exec.own-trace
    each(
      `an uncaught ToolError ${what} fails the program with its code, on a line of the program`,
      programs,
      async (language, code) => {
        const asked = request(language, code, { granted });
        const { envelope } = await ran(get().sandbox, asked, { host: failing });
        expect(envelope.error?.message).toMatch(
          /ToolError: (not_there: no such day|invalid_input: )/,
        );
        expect(envelope.runtime_err_tail).toMatch(/program\.py", line 3|program\.mjs:3/);
        expect(envelope.runtime_err_tail).not.toMatch(/harness|executor\//);
      },
    );
  }

  // proves: exec.own-trace
  each(
    'an exit without an error is shown with the lines of the program too',
    { python: 'import asyncio\n\nraise asyncio.CancelledError("enough")' },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.error?.message).toContain('exit code 1: asyncio.exceptions.CancelledError');
      expect(envelope.runtime_err_tail).toContain('program.py", line 3');
      expect(envelope.runtime_err_tail).not.toMatch(/harness|executor\//);
    },
  );

  each(
    'a forked process has no tools, and takes none of the answers of its program',
    {
      python: `import asyncio, os
async def ask(): return (await tools.a.b(x=1))["input"]["x"]
if os.fork() == 0:
    try: asyncio.run(ask())
    except ToolError as error: print(error.code, flush=True)
    os._exit(0)
os.wait()
print(asyncio.run(ask()))`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code, { granted: ['a.b'] }));
      expect(envelope.user_out_tail).toBe('call_refused\n1\n');
    },
  );

  // proves: exec.slips
  each(
    'a slip is a ToolError, and the program goes on',
    {
      python: `deep = {}
for _ in range(80): deep = {"a": deep}
for slip in (lambda: agent_io_tools.tool_call(tool_id="x" * 257), lambda: ctx_tools.fetch_ctx("ar:" + "x" * 2_000), lambda: tools.a.b(deep=deep), lambda: agent_io_tools.tool_call(tool_id="a.b", params=[1]), lambda: agent_io_tools.tool_call(tool_id="a.b", params="[1]")):
    try: await slip()
    except ToolError as error: print(error.code)
print((await tools.a.b(x=1))["input"]["x"])`,
      javascript: `let deep = {};
for (let n = 0; n < 80; n += 1) deep = { a: deep };
for (const slip of [() => agent_io_tools.tool_call({ tool_id: 'x'.repeat(257) }), () => ctx_tools.fetch_ctx('ar:' + 'x'.repeat(2_000)), () => tools.a.b({ deep }), () => agent_io_tools.tool_call({ tool_id: 'a.b', params: '[1]' }), () => tools.a.b(new Date())])
  try { await slip() } catch (error) { console.log(error.code) }
console.log((await tools.a.b({ x: 1 })).input.x)`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code, { granted: ['a.b'] }));
      expect(envelope.user_out_tail).toBe(`${'invalid_input\n'.repeat(5)}1\n`);
    },
  );

  // proves: exec.whole-numbers
  each(
    'no integer of a call loses digits: one that would is an error that names it, all others arrive as they are',
    {
      python: `for given in (9007199254740993, [1, {"id": -9007199254740993}], {"a": (2**63, 1)}, 10**400):
    try: await tools.a.b(given=given)
    except ToolError as error: print(error.code, error.message[:17], error.message[-20:])
sent = dict(most=2**53 - 1, least=1 - 2**53, text="an id: 9007199254740993, [-9007199254740993]", part=0.12345678901234567, reals=[1234567890123456.0, 1e300], names={" 9007199254740993": True}, long="x" * 3000)
print((await tools.a.b(sent))["input"] == sent)`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code, { granted: ['a.b'] }));
      const said = [
        '9007199254740993 ',
        '-9007199254740993',
        '9223372036854775',
        '1000000000000000',
      ];
      expect(envelope).toMatchObject({ error: null, runtime_err_tail: '' });
      const lines = envelope.user_out_tail.split('\n');
      for (const [n, start] of said.entries()) {
        expect(lines[n]?.startsWith(`invalid_input ${start}`), lines[n]).toBe(true);
        expect(lines[n]).toMatch(/pass it as a string$/);
      }
      expect(lines[4]).toBe('True');
    },
  );

  each(
    'a BigInt has no place in JSON, and its call says so',
    {
      javascript:
        'try { await tools.a.b({ id: 1n }) } catch (error) { console.log(error.name, error.message) }',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code, { granted: ['a.b'] }));
      expect(envelope.user_out_tail).toBe('TypeError Do not know how to serialize a BigInt\n');
    },
  );

  each(
    'an uncaught ToolError fails the program',
    { python: 'await tools.a.fails()', javascript: 'await tools.a.fails()' },
    async (language, code) => {
      const asked = request(language, code, { granted });
      const { envelope } = await ran(get().sandbox, asked, { host: failing });
      expect(envelope.error?.message).toContain('ToolError: not_there: no such day');
    },
  );
}
