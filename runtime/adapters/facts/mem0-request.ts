import { setTimeout } from 'node:timers/promises';
import type { z } from 'zod';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { Fault, isFault } from '../../base/fault.ts';
import { type Json, parseJson } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
import { memoryAnswerBytesMax, memoryPauseMs, memoryRequestMs, memoryTriesMax } from './limits.ts';

export type Mem0Server = {
  /** Base address of the server. */
  readonly url: string;
  /** For `X-API-Key`. */
  readonly key?: string | undefined;
  /** Time for one request with its repetitions. */
  readonly requestMs?: number;
};

export type Mem0Call<T> = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  readonly answer: z.ZodType<T>;
  /** A `POST` that changes nothing. */
  readonly repeats?: boolean;
};

type Waits = { readonly signal: AbortSignal };

/**
 * Asks the server, and once more after a failure that may pass, if that changes nothing twice. Faults `MEMORY_UNAVAILABLE` and
 * `MEMORY_REFUSED`. An address where there is nothing is answered with null.
 */
export async function requestMem0<T>(
  server: Mem0Server,
  asked: Mem0Call<T>,
  { signal }: Waits,
): Promise<T> {
  using work = new Work(signal, { deadlineMs: server.requestMs ?? memoryRequestMs });
  const triesMax = repeats(asked) ? memoryTriesMax : 1;
  for (let tries = 1; ; tries += 1) {
    try {
      return await requestOnce(server, asked, work);
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error) || tries === triesMax) throw error;
      await pause(tries, work.signal);
      signal.throwIfAborted();
      if (work.signal.aborted) throw error;
    }
  }
}

function repeats({ method, repeats: isHarmless = false }: Mem0Call<unknown>): boolean {
  return method !== 'POST' || isHarmless;
}

function mayPass(error: unknown): boolean {
  return isFault(error) && error.code === 'MEMORY_UNAVAILABLE';
}

async function pause(tries: number, signal: AbortSignal): Promise<void> {
  await setTimeout(memoryPauseMs * tries, undefined, { signal }).catch(() => undefined);
}

async function requestOnce<T>(
  { url, key }: Mem0Server,
  { method, path, body, answer }: Mem0Call<T>,
  { signal }: Waits,
): Promise<T> {
  const where = { because: `${method} ${path.replace(/\?.*/s, '')}` };
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(path, withSlash(url)), {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key ? { 'x-api-key': key } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const limit = { bytesMax: memoryAnswerBytesMax, what: 'the answer of the memory server' };
    text = response.body ? (await readBytes(response.body, limit)).toString() : 'null';
  } catch (cause) {
    throw new Fault('MEMORY_UNAVAILABLE', where, { cause });
  }
  const { status } = response;
  if (status === 429 || status >= 500) throw new Fault('MEMORY_UNAVAILABLE', { ...where, status });
  if (!response.ok && status !== 404) throw new Fault('MEMORY_REFUSED', { ...where, status });
  const parsed = answer.safeParse(status === 404 ? null : parseJson(text));
  if (!parsed.success)
    throw new Fault('MEMORY_REFUSED', { ...where, status }, { cause: parsed.error });
  return parsed.data;
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
