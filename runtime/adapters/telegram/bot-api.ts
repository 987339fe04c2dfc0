import { z } from 'zod';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { parseJson } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
import {
  answerBytesMax,
  attemptsMax,
  callDeadlineMs,
  downloadBytesMax,
  firstRetryMs,
  retryAfterMaxMs,
} from './limits.ts';

export type BotSettings = {
  readonly token: string;
  /** Base address of the Bot API. */
  readonly url: string;
  readonly clock: Clock;
};

type CallOptions = { readonly signal: AbortSignal; readonly deadlineMs?: number };

const answer = z.object({
  ok: z.boolean(),
  result: z.unknown(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

/** Telegram refused a call. `retryMs`: it may be repeated after this time. */
class BotRefusal extends Error {
  readonly status: number;
  readonly retryMs: number | undefined;

  constructor(
    message: string,
    { status, retryMs }: { status: number; retryMs: number | undefined },
  ) {
    super(message);
    this.status = status;
    this.retryMs = retryMs;
  }
}

/** Calls Telegram's Bot API (https://core.telegram.org/bots/api). The token, which is part of addresses, appears in no error. */
export class BotApi {
  readonly #settings: BotSettings;

  constructor(settings: BotSettings) {
    this.#settings = settings;
  }

  /** Repeats a call that fails for a moment. Faults `SURFACE_REFUSED`, `SURFACE_UNREACHABLE`. */
  async call<T>(
    method: string,
    params: Readonly<Record<string, unknown>> | FormData,
    options: CallOptions & { readonly result: z.ZodType<T> },
  ): Promise<T> {
    const body =
      params instanceof FormData
        ? { body: params }
        : { body: JSON.stringify(params), headers: { 'content-type': 'application/json' } };
    const url = `${this.#settings.url}/bot${this.#settings.token}/${method}`;
    return await this.#retry(method, options.signal, async () => {
      const bytes = await this.#fetch(
        url,
        { method: 'POST', ...body },
        { ...options, bytesMax: answerBytesMax },
      );
      return options.result.parse(readAnswer(bytes));
    });
  }

  /** The bytes of a file, by the `file_path` that `getFile` returned. */
  async download(path: string, options: CallOptions): Promise<Uint8Array> {
    const url = `${this.#settings.url}/file/bot${this.#settings.token}/${path}`;
    return await this.#retry('download', options.signal, async () =>
      this.#fetch(url, {}, { ...options, bytesMax: downloadBytesMax, isFile: true }),
    );
  }

  async #fetch(
    url: string,
    init: RequestInit,
    {
      signal,
      deadlineMs = callDeadlineMs,
      bytesMax,
      isFile = false,
    }: CallOptions & { readonly bytesMax: number; readonly isFile?: boolean },
  ): Promise<Uint8Array> {
    using work = new Work(signal, { deadlineMs });
    const response = await fetch(url, { ...init, redirect: 'error', signal: work.signal });
    const bytes = response.body
      ? await readBytes(response.body, { bytesMax, what: 'the answer of Telegram' })
      : new Uint8Array();
    if (isFile && !response.ok) readAnswer(bytes);
    return bytes;
  }

  async #retry<T>(method: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    for (let n = 1; ; n += 1) {
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        const waitMs = this.#retryMs(error, n);
        if (waitMs === undefined || n >= attemptsMax) throw this.#toFault(method, error);
        await this.#settings.clock.sleep(waitMs, { signal });
      }
    }
  }

  /** Undefined: the call fails for good. */
  #retryMs(error: unknown, attempt: number): number | undefined {
    const backoffMs = firstRetryMs * 2 ** (attempt - 1);
    if (!(error instanceof BotRefusal)) return backoffMs;
    if (error.retryMs !== undefined) return Math.min(error.retryMs, retryAfterMaxMs);
    return error.status >= 500 ? backoffMs : undefined;
  }

  #toFault(method: string, error: unknown): Fault {
    const text = error instanceof Error ? reasonOf(error) : String(error);
    const because = `Telegram ${method}: ${text.replaceAll(this.#settings.token, '…')}`;
    const isRefused = error instanceof BotRefusal && error.status < 500 && error.status !== 429;
    return new Fault(isRefused ? 'SURFACE_REFUSED' : 'SURFACE_UNREACHABLE', { because });
  }
}

function readAnswer(bytes: Uint8Array): unknown {
  const read = answer.parse(parseJson(new TextDecoder().decode(bytes)));
  if (read.ok) return read.result;
  const seconds = read.parameters?.retry_after;
  throw new BotRefusal(read.description ?? 'refused', {
    status: read.error_code ?? 400,
    retryMs: seconds === undefined ? undefined : seconds * 1_000,
  });
}

/** An error of `fetch` only says that it failed; the reason is in its cause. */
function reasonOf({ cause, message }: Error): string {
  return cause instanceof Error ? cause.message : message;
}
