import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Work } from '../../../base/signal.ts';
import type { Progress } from '../../../engine/inspect/verify-log.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { progressEvery } from './limits.ts';

/** Responds with the progress of a check as server-sent events `progress`, then `done` with its result, or `error`. */
export function streamProgress(
  context: Context<Env>,
  { intake, closing }: Pick<HttpParts, 'intake' | 'closing'>,
  check: (progress: Progress) => Promise<object>,
): Response {
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    stream.onAbort(() => work.stop('shutdown'));
    const send = (event: string, data: object) =>
      stream.writeSSE({ event, data: JSON.stringify(data) });
    try {
      const result = await check(async (done, of) => {
        work.signal.throwIfAborted();
        if (done % progressEvery === 0 || done === of) await send('progress', { done, of });
      });
      await send('done', result);
    } catch (error) {
      if (!work.signal.aborted) await send('error', intake.explain(error));
    }
  });
}
