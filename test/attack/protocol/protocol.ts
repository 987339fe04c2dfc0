import { describe, expect, test } from 'vitest';
import type { ExecHost, Language, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { callsMax } from '../../../supervisor/protocol/limits.ts';
import { contract, echoHost, noLimits, ran, request } from '../../integration/exec/kit.ts';
import { isFullMatrix } from '../../tools/runs.ts';
import { attacking, type ProtocolAttack, protocolAttacks } from './protocol-attacks.ts';

/** Of each kind of attack one: a call, a forged message, a frame that is none, a text. */
const sample: readonly string[] = [
  'a tool that was not granted',
  'a forged result',
  'half a value',
  'texts that nobody sent',
];

/**
 * Attacks on the stream of calls, over any backend. What judges them is the same code everywhere: one
 * backend is attacked in every way at every change, the others by a sample, and by all in the long run.
 */
export function protocolSuite(get: () => Sandbox, { isSample = false } = {}): void {
  const some = isSample && !isFullMatrix;
  const attacks = Object.entries(protocolAttacks).filter(
    ([name]) => !some || sample.includes(name),
  );
  const languages = some ? (['python'] as const) : (['python', 'javascript'] as const);
  describe.each(languages)('in %s', (language) => {
    test('the way is open: a call written by hand is performed, once', async () => {
      const frame = '{"type":"tool_call","id":"x1","tool":"a.b","input":{},"reason":""}';
      const legal: ProtocolAttack = { frames: [frame], ends: 'unheard' };
      expect((await attack(get(), legal, { language })).performed).toEqual(['a.b']);
    });

    test('each wall is what stands: what it refuses is performed where it is not in the way', async () => {
      const names = ['a.hidden', 'react.write', '__proto__', 'a.b ', 'A.B', 'a.b\0'];
      const calls = names.map((tool, n) => frameOf({ tool, id: `x${n}` }));
      const inner = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;
      const deep = frameOf({ id: 'x'.repeat(64) }).replace('"input":{}', `"input":${inner}`);
      const again = [frameOf({ id: 'y1' }), frameOf({ id: 'y2' })];
      const allowed: ProtocolAttack = { frames: [...calls, deep, ...again], ends: 'unheard' };
      const granted = [...names, 'a.b'];
      const { performed } = await attack(get(), allowed, { language, granted });
      expect(performed).toEqual([...names, 'a.b', 'a.b', 'a.b']);
    });

    test.concurrent.each(attacks)('%s', async (_, one) => {
      const { performed, envelope } = await attack(get(), one, { language });
      expect(performed).toEqual([]);
      expect(envelope.kill_reason).toBe(one.ends === 'protocol' ? 'protocol' : null);
      expect(envelope.ok).toBe(one.ends !== 'protocol');
      expect(envelope.artifacts).toEqual([]);
      expect(envelope.user_out_tail).not.toContain('forged');
    });
  });

  test('an id that is used again is not performed again', async () => {
    const frame = '{"type":"tool_call","id":"x1","tool":"a.b","input":{},"reason":""}';
    const twice: ProtocolAttack = { frames: [frame, frame, frame], ends: 'unheard' };
    expect((await attack(get(), twice, { language: 'python' })).performed).toEqual(['a.b']);
  });

  // Calls of a tool that was not granted count too, and nobody performs them: it takes as long as to read them.
  test('more calls than a program may make are not performed', { timeout: slowMsMax }, async () => {
    const code = `import json, os, struct
def frame(n):
    body = json.dumps({"type": "tool_call", "id": f"x{n}", "tool": "a.hidden", "input": {}, "reason": ""}).encode()
    return struct.pack(">I", len(body)) + body
await tools.a.b()
os.set_blocking(3, True)
for n in range(0, ${callsMax - 50}, 50):
    os.write(3, b"".join(frame(m) for m in range(n, n + 50)))
os.set_blocking(3, False)
codes = []
for n in range(100):
    try:
        await tools.a.b()
    except ToolError as error:
        codes.append(error.code)
print(len(codes), *set(codes))`;
    const limits = { ...noLimits, timeoutMs: slowMsMax };
    const { performed, envelope } = await perform(get(), { code, language: 'python', limits });
    expect(envelope.user_out_tail).toBe('51 call_refused\n');
    expect(performed.length).toBe(50);
  });

  test('who does not read what it asked for is stopped at its time, and takes nobody with it', async () => {
    const code = `import json, os, struct
os.set_blocking(3, True)
body = json.dumps({"type": "tool_call", "id": "0000", "tool": "a.large", "input": {}, "reason": ""}).encode()
for n in range(1_000, 3_000):
    os.write(3, struct.pack(">I", len(body)) + body.replace(b"0000", str(n).encode()))`;
    const limits = { ...noLimits, timeoutMs: 1_500 };
    const large: ExecHost = {
      ...echoHost,
      callTool: async () => ({ ok: true, ret: 'x'.repeat(1 << 20) }),
    };
    const asked = request('python', code, { granted: ['a.large'], limits });
    const { envelope } = await ran(get(), asked, { host: large });
    expect(envelope.kill_reason).toBe('timeout');
  });

  test('a call after the deadline is not performed', async () => {
    const code = `import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(1.05)
body = b'{"type":"tool_call","id":"x1","tool":"a.b","input":{},"reason":""}'
os.write(3, len(body).to_bytes(4, "big") + body)
time.sleep(5)`;
    const limits = { ...noLimits, timeoutMs: 1_000 };
    const { performed, envelope } = await perform(get(), { code, language: 'python', limits });
    expect(envelope.kill_reason).toBe('timeout');
    expect(performed).toEqual([]);
  });

  test('a stream that is closed ends nothing but its calls', async () => {
    const code = 'import os\nos.close(3)\nopen("/out/outputs/a.txt", "w").write("a"); print("on")';
    const asked = request('python', code, { contract: contract('outputs/a.txt') });
    const { envelope } = await ran(get(), asked);
    expect(envelope.artifacts).toHaveLength(1);
  });
}

/** However slow a machine is: nothing here waits for time to pass. */
const slowMsMax = 900_000;

function frameOf(change: Record<string, unknown>): string {
  const call = { type: 'tool_call', id: 'x1', tool: 'a.b', input: {}, reason: '' };
  return JSON.stringify({ ...call, ...change });
}

async function attack(sandbox: Sandbox, one: ProtocolAttack, how: Omit<Program, 'code'>) {
  return perform(sandbox, { ...how, code: attacking(one, how.language) });
}

type Program = {
  readonly code: string;
  readonly granted?: readonly string[];
  readonly language: Language;
  readonly limits?: typeof noLimits | (Omit<typeof noLimits, 'timeoutMs'> & { timeoutMs: number });
};

/** What its host was asked to do, and how it ended. */
async function perform(sandbox: Sandbox, program: Program) {
  const { code, language, limits = noLimits, granted = ['a.b'] } = program;
  const performed: string[] = [];
  const host: ExecHost = {
    ...echoHost,
    callTool: async ({ tool }) => {
      performed.push(tool);
      return { ok: true, ret: null };
    },
  };
  const { envelope } = await ran(sandbox, request(language, code, { granted, limits }), {
    host,
  });
  return { performed, envelope };
}
