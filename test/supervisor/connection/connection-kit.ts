import { Duplex } from 'node:stream';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import type { Clock } from '../../../runtime/base/clock.ts';
import type { Json } from '../../../runtime/base/json.ts';
import type { CallEvent, CallHost } from '../../../supervisor/connection/calls.ts';
import { type ServeOptions, serveExecutor } from '../../../supervisor/connection/serve-executor.ts';
import { encodeFrame, FrameDecoder, writeLength } from '../../../supervisor/protocol/frame.ts';
import { frameBytesMax, resultBytesMax } from '../../../supervisor/protocol/limits.ts';
import { type Start, ToExecutor } from '../../../supervisor/protocol/messages.ts';

export const start: Start = {
  type: 'start',
  execution: 'exec_1',
  language: 'python',
  code: 'pass',
  env: {},
  given: null,
  granted: ['a.b'],
  timeoutMs: 10_000,
};
export const call = (id: string, tool = 'a.b') => ({
  type: 'tool_call',
  id,
  tool,
  input: {},
  reason: '',
});
export const hello = { type: 'hello', version: 5 };
export const host: CallHost = {
  callTool: async ({ tool }) => ({ ok: true, ret: tool }),
  fetchContext: async (path) => ({ ret: path, err: null }),
  fetchFile: async (path) => ({ ok: true, ret: path }),
};

/** An executor's end of the stream, as a test moves it. */
export function open({
  host: asked = host,
  clock = systemClock,
}: {
  host?: CallHost;
  clock?: Clock;
} = {}) {
  const decoder = new FrameDecoder({ bytesMax: resultBytesMax });
  const results = new Map<string, PromiseSource>();
  const resultOf = (id: string) => {
    const source = results.get(id) ?? promiseSource();
    results.set(id, source);
    return source;
  };
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk, _, done) => {
      for (const frame of decoder.push(chunk)) take(ToExecutor.parse(frame));
      done();
    },
  });
  const take = (message: ToExecutor) => {
    if (message.type === 'result') resultOf(message.id).resolve(message.result);
  };
  const events: CallEvent[] = [];
  const served = serveExecutor(stream);
  const options: ServeOptions = {
    host: asked,
    clock,
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
  };
  return {
    served,
    start: () => served.start(start, options),
    events,
    say: (...messages: unknown[]) => {
      setImmediate(() => {
        stream.push(Buffer.concat(messages.map((message) => encodeFrame(message))));
      });
    },
    write: (...lines: string[]) => {
      const frames = lines.map((line) => writeLength(Buffer.from(`0000${line}`), frameBytesMax));
      setImmediate(() => stream.push(Buffer.concat(frames)));
    },
    end: () => stream.push(null),
    cutOff: () => stream.destroy(),
    /** The next result of a call, come already or not. */
    result: async (id: string) => {
      const result = await resultOf(id).promise;
      results.delete(id);
      return result;
    },
  };
}

type PromiseSource = { readonly promise: Promise<Json>; readonly resolve: (value: Json) => void };

export function promiseSource(): PromiseSource {
  let settle: (value: Json) => void = () => undefined;
  const promise = new Promise<Json>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}

export async function started(options: { host?: CallHost; clock?: Clock } = {}) {
  const executor = open(options);
  executor.say(hello);
  await executor.served.ready;
  await executor.start();
  return executor;
}
