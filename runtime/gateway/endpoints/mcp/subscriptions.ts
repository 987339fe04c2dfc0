import type { ServerEventBus } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Work } from '../../../base/signal.ts';
import { openLifetime } from '../../http/frame-stream.ts';
import { followChanges } from './list-changes.ts';
import type { McpCaller } from './messages/caller.ts';

const listening = z.looseObject({
  params: z.looseObject({
    notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
  }),
});

type Following = {
  /** The request. */
  readonly body: unknown;
  /** When the token of the request expires. */
  readonly untilMs: number | undefined;
  /** Nothing more will change: the stream can end. */
  over(): void;
};

/** The changes that `subscriptions/listen` of the version of 2026 asks for: of one request, for as long as its stream is open. */
export function openSubscriptions(
  caller: McpCaller,
  { body, untilMs, over }: Following,
): ServerEventBus {
  const { deps } = caller.parts;
  const wanted = listening.safeParse(body).data?.params.notifications.resourceSubscriptions ?? [];
  return {
    publish: () => undefined,
    subscribe(listener) {
      const work = new Work(caller.signal);
      const lifetime = openLifetime(untilMs, { clock: deps.clock, work });
      const { signal } = work;
      const watched = async () => wanted;
      followChanges(caller, { changed: listener, watched, signal })
        .catch((error) => deps.log.error('mcp subscription failed', { error }))
        .finally(() => {
          lifetime?.[Symbol.dispose]();
          work[Symbol.dispose]();
          over();
        });
      return () => work.stop('shutdown');
    },
  };
}
