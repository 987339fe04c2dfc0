import { type Duplex, duplexPair } from 'node:stream';
import { encodeFrame, FrameDecoder } from '../protocol/frame.ts';
import { protocolVersion } from '../protocol/messages.ts';
import { proxyExecutor } from './proxy.ts';

/**
 * Runs one simulated program with one call, so that the code is compiled before a real program
 * has to wait for that.
 */
export async function warmUpJit(): Promise<void> {
  const [executor, toExecutor] = duplexPair();
  const [runtime, toRuntime] = duplexPair();
  const over = proxyExecutor({ executor: toExecutor, runtime: toRuntime });
  const hello = { type: 'hello', version: protocolVersion };
  const call = { type: 'tool_call', id: '1', tool: 'a.b', input: {}, reason: '' };
  const result = encodeFrame({ type: 'result', id: '1', result: { ok: true } });
  executor.write(encodeFrame(hello));
  answer(runtime, [() => runtime.write(encodeFrame(start)), () => runtime.write(result)]);
  answer(executor, [() => executor.write(encodeFrame(call)), () => runtime.end()]);
  await over;
  executor.end();
}

const start = {
  type: 'start',
  execution: '',
  language: 'python',
  code: '',
  env: {},
  given: null,
  granted: ['a.b'],
  timeoutMs: 60_000,
};

/** Runs one act for each incoming message. */
function answer(end: Duplex, acts: readonly (() => void)[]): void {
  const decoder = new FrameDecoder();
  const rest = acts.values();
  end.on('data', (chunk: Uint8Array) => {
    for (const _ of decoder.push(chunk)) rest.next().value?.();
  });
}
