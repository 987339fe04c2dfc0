import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject, type Json } from '../../runtime/base/json.ts';
import { untilAborted } from '../../runtime/base/signal.ts';
import type { ExecToolCall } from '../../runtime/tools/ports/sandbox.ts';
import type { ToolResult } from '../../runtime/tools/ports/tool.ts';
import { FrameDecoder } from '../protocol/frame.ts';
import { resultBytesMax } from '../protocol/limits.ts';
import { type FromExecutor, type Start, toExecutor } from '../protocol/messages.ts';
import type { CallHost } from './calls.ts';
import { FrameWriter } from './frame-writer.ts';

type RuntimeCommands = {
  readonly start: (start: Start) => Promise<void>;
  readonly cancel: () => Promise<void>;
};

type Fetch = { readonly type: 'fetch_context' | 'fetch_file'; readonly path: string };

const Result = z.custom<ToolResult>(
  (value) => isJsonObject(value) && typeof value['ok'] === 'boolean',
);

/**
 * The connection of a supervisor in its own container to the runtime. It uses the same protocol, with the
 * supervisor in the role of the executor. The messages that it forwards have already been checked.
 */
export class RuntimeLink implements CallHost {
  readonly #stream: Duplex;
  readonly #out: FrameWriter;
  readonly #waiting = new Map<string, (result: Json) => void>();
  #fetches = 0;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#out = new FrameWriter(stream);
  }

  /** Runs until the runtime closes the stream. */
  async follow(orders: RuntimeCommands): Promise<void> {
    const decoder = new FrameDecoder({ bytesMax: resultBytesMax });
    for await (const chunk of this.#stream) {
      for (const frame of decoder.push(chunk)) {
        const message = toExecutor(frame);
        if (message.type === 'result') this.#waiting.get(message.id)?.(message.result);
        else if (message.type === 'start') await orders.start(message);
        else await orders.cancel();
      }
    }
  }

  async send(message: FromExecutor): Promise<void> {
    await this.#out.send(message);
  }

  async callTool(call: ExecToolCall, { signal }: { signal: AbortSignal }): Promise<ToolResult> {
    const { id, tool, input, reason } = call;
    const answer = this.#answer(id, signal);
    await this.send({ type: 'tool_call', id, tool, input, reason });
    return toResult(await answer);
  }

  async fetchContext(path: string, { signal }: { signal: AbortSignal }): Promise<Json> {
    return this.#fetch({ type: 'fetch_context', path }, signal);
  }

  async fetchFile(path: string, { signal }: { signal: AbortSignal }): Promise<ToolResult> {
    return toResult(await this.#fetch({ type: 'fetch_file', path }, signal));
  }

  async #fetch(asked: Fetch, signal: AbortSignal): Promise<Json> {
    // Own ids: the host gets a fetch without the id that the program gave it.
    this.#fetches += 1;
    const id = `fetch ${this.#fetches}`;
    const answer = this.#answer(id, signal);
    await this.send({ ...asked, id });
    return answer;
  }

  async #answer(id: string, signal: AbortSignal): Promise<Json> {
    const heard = new Promise<Json>((settle) => {
      this.#waiting.set(id, settle);
    });
    try {
      return await untilAborted(heard, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }
}

function toResult(value: Json): ToolResult {
  const found = Result.safeParse(value);
  if (found.success) return found.data;
  throw new Fault('EXEC_PROTOCOL', { because: 'the runtime sent an invalid result' });
}
