import { setMaxListeners } from 'node:events';
import type { Clock } from '../../runtime/base/clock.ts';
import { isFault, toWire } from '../../runtime/base/fault.ts';
import type { Json } from '../../runtime/base/json.ts';
import { isRefusal } from '../../runtime/base/refusal.ts';
import { Work } from '../../runtime/base/signal.ts';
import type { ExecHost, ExecToolCall } from '../../runtime/tools/ports/sandbox.ts';
import type { ToolError, ToolResult } from '../../runtime/tools/ports/tool.ts';
import { grouped } from '../../runtime/tools/text/cut-text.ts';
import type { UnparsedInput } from '../protocol/executor-message.ts';
import {
  callsInFlightMax,
  inputDepthMax,
  inputNamesMax,
  inputValuesMax,
} from '../protocol/limits.ts';
import type { CallRegistry } from './call-registry.ts';

export type CallEvent =
  | { readonly kind: 'tool_called'; readonly id: string; readonly tool: string }
  | { readonly kind: 'tool_finished'; readonly id: string; readonly ok: boolean };

/** A call whose input is parsed after the call has been admitted. */
type ToolRequest = Omit<ExecToolCall, 'input'> & { readonly input: UnparsedInput };

/** Performs the calls of a program, in this process or in another. */
export type CallHost = Pick<ExecHost, 'callTool' | 'fetchContext'> & {
  /** Returns the path under which the program can open a file of the conversation. */
  fetchFile(path: string, options: { signal: AbortSignal }): Promise<ToolResult>;
};

type Options = {
  readonly host: CallHost;
  readonly granted: ReadonlySet<string>;
  /** Monotonic time. */
  readonly deadlineMs: number;
  readonly callRegistry: CallRegistry;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly emit: (event: CallEvent) => void;
};

/**
 * The calls that a program can make while it runs. Grant, deadline and call registry are checked
 * before the host is called. Refusals and Faults are results; a Defect is thrown.
 */
export class Calls implements Disposable {
  readonly #options: Options;
  /** One deadline for all calls. */
  readonly #work: Work;

  constructor(options: Options) {
    const { clock, deadlineMs, signal } = options;
    this.#options = options;
    this.#work = new Work(signal, { deadlineMs: Math.max(0, deadlineMs - clock.monotonic()) });
    setMaxListeners(callsInFlightMax + 1, this.#work.signal);
  }

  /** Requires that no call is in flight. */
  [Symbol.dispose](): void {
    this.#work[Symbol.dispose]();
  }

  async tool(asked: ToolRequest): Promise<ToolResult> {
    const { id, tool } = asked;
    const { callRegistry, emit } = this.#options;
    const refused = this.#refusal(asked);
    if (refused !== undefined) return { ok: false, error: refused };
    emit({ kind: 'tool_called', id, tool });
    const result = await this.#perform(asked);
    callRegistry.settle(id, result.ok ? 'ok' : result.error.code);
    emit({ kind: 'tool_finished', id, ok: result.ok });
    return result;
  }

  async context({ id, path }: { id: string; path: string }): Promise<Json> {
    const refused = this.#registrationError({ id, tool: 'ctx_tools.fetch_ctx' });
    const answer = (error: ToolError) => ({
      ret: null,
      err: { code: error.code, message: error.message, details: null },
    });
    if (refused !== undefined) return answer(refused);
    const result = await this.#bounded(
      (signal) => this.#options.host.fetchContext(path, { signal }),
      answer,
    );
    this.#options.callRegistry.settle(id, 'ok');
    return result;
  }

  async file({ id, path }: { id: string; path: string }): Promise<ToolResult> {
    const refused = this.#registrationError({ id, tool: 'ctx_tools.fetch_file' });
    if (refused !== undefined) return { ok: false, error: refused };
    const result = await this.#bounded(
      (signal) => this.#options.host.fetchFile(path, { signal }),
      (error) => ({ ok: false, error }) as const,
    );
    this.#options.callRegistry.settle(id, result.ok ? 'ok' : result.error.code);
    return result;
  }

  /** Parses the input in the same tick, while the memory of its frame is still valid. */
  #perform({ id, tool, reason, input }: ToolRequest): Promise<ToolResult> {
    const call = { id, tool, reason, input: input.parse() };
    return this.#bounded(
      (signal) => this.#options.host.callTool(call, { signal }),
      (error) => ({ ok: false, error }) as const,
    );
  }

  #refusal(call: ToolRequest): ToolError | undefined {
    const taken = this.#registrationError(call);
    if (taken !== undefined) return taken;
    const unfit = this.#unfit(call);
    if (unfit !== undefined) this.#options.callRegistry.settle(call.id, unfit.code);
    return unfit;
  }

  #unfit({ tool, input }: ToolRequest): ToolError | undefined {
    if (!this.#options.granted.has(tool)) {
      const message = `${tool.slice(0, 100)} is not among the tools of this program`;
      return { code: 'tool_not_visible', message, retryable: false };
    }
    const message = excessOf(input);
    return message === undefined ? undefined : { code: 'invalid_input', message, retryable: false };
  }

  #registrationError(call: Pick<ExecToolCall, 'id' | 'tool'>): ToolError | undefined {
    const { callRegistry, clock, deadlineMs } = this.#options;
    if (!callRegistry.register(call, clock.monotonic())) {
      return {
        code: 'call_refused',
        message: 'the id was used, or too many calls',
        retryable: false,
      };
    }
    if (clock.monotonic() < deadlineMs) return undefined;
    callRegistry.settle(call.id, 'timeout');
    return { code: 'timeout', message: 'the program is past its deadline', retryable: false };
  }

  async #bounded<T>(
    ask: (signal: AbortSignal) => Promise<T>,
    refuse: (error: ToolError) => T,
  ): Promise<T> {
    const { signal } = this.#work;
    try {
      return await ask(signal);
    } catch (error) {
      return refuse(toToolError(error, signal));
    }
  }
}

function excessOf({ depth, values, names }: UnparsedInput): string | undefined {
  if (depth > inputDepthMax) {
    return `objects and lists can be nested ${inputDepthMax} deep; this input is deeper`;
  }
  if (values <= inputValuesMax && names <= inputNamesMax) return undefined;
  const most = `${grouped(inputValuesMax)} values and ${grouped(inputNamesMax)} different names`;
  return `an input has at most ${most}; write large data to a file instead`;
}

function toToolError(error: unknown, signal: AbortSignal): ToolError {
  if (isRefusal(error)) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (signal.aborted) return { code: 'interrupted', message: 'stopped', retryable: false };
  if (!isFault(error)) throw error;
  const { message } = toWire(error);
  return { code: 'tool_failed', message, retryable: error.kind === 'transient' };
}
