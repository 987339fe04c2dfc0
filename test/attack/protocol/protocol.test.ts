import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import type { ExecHost, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { echoHost, ran, request, sandboxParts } from '../../integration/exec/kit.ts';
import { protocolSuite } from './protocol.ts';

// proves: exec.frames, i6.no-handle, i6.granted-only, i6.not-believed

let sandbox: Sandbox & AsyncDisposable;
beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 3 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

protocolSuite(() => sandbox);

test('who is sent descriptors with a call takes the call, and keeps none of them', async () => {
  const code = `import array, json, os, socket, struct
stream = socket.socket(fileno=os.dup(3)); stream.setblocking(True)
sent = array.array("i", [os.memfd_create("attack-held") for _ in range(10)])
for n in range(20):
    body = json.dumps({"type": "tool_call", "id": f"x{n}", "tool": "a.b", "input": {}, "reason": ""}).encode()
    with_them = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)]
    stream.sendmsg([struct.pack(">I", len(body)) + body], with_them)
await tools.a.c()
print("all of them")`;
  const called: string[] = [];
  let held: readonly string[] = [];
  const host: ExecHost = {
    ...echoHost,
    callTool: async ({ tool }) => {
      called.push(tool);
      if (tool === 'a.c') held = readdirSync('/proc/self/fd').map(targetOf);
      return { ok: true, ret: null };
    },
  };
  const { envelope } = await ran(sandbox, request('python', code, { granted: ['a.b', 'a.c'] }), {
    host,
  });
  expect(envelope.user_out_tail).toBe('all of them\n');
  expect(called).toHaveLength(21);
  expect(held.length).toBeGreaterThan(3);
  expect(held.filter((name) => name.includes('attack-held'))).toEqual([]);
});

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // The folder that was being read.
  }
}
