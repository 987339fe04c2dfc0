import type { ServerEvent } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Refusal } from '../../../base/refusal.ts';
import { Work } from '../../../base/signal.ts';
import type { Env } from '../../http/context.ts';
import { keepAlive, openLifetime } from '../../http/frame-stream.ts';
import { streamCall } from './call-stream.ts';
import { followChanges } from './list-changes.ts';
import type { McpCaller } from './messages/caller.ts';
import { parseEventId } from './messages/stream-place.ts';
import { readSession } from './session.ts';

/** The stream of the session, or of a call from an event on. */
export async function getStream(context: Context<Env>, caller: McpCaller): Promise<Response> {
  const last = context.req.header('last-event-id');
  if (last === undefined) return streamSession(context, caller);
  const place = parseEventId(last);
  if (place) return streamCall(context, caller, place);
  throw new Refusal('invalid_input', 'Last-Event-ID: not an id of this server');
}

/**
 * What the server sends outside of calls: that a list or a resource has changed. It ends with its connection, or with its
 * endpoint.
 */
function streamSession(context: Context<Env>, caller: McpCaller): Response {
  const { deps } = caller.parts;
  context.header('Mcp-Session-Id', caller.conversation);
  return streamSSE(context, async (stream) => {
    using work = new Work(caller.signal);
    using _lifetime = openLifetime(context.get('untilMs'), { clock: deps.clock, work });
    stream.onAbort(() => work.stop('shutdown'));
    const { signal } = work;
    let written: Promise<unknown> = Promise.resolve();
    const queue = (step: () => Promise<unknown>) => {
      written = written.then(() => (signal.aborted ? undefined : step()));
      return written;
    };
    const changed = (event: ServerEvent) => {
      const data = JSON.stringify({ jsonrpc: '2.0', ...notificationOf(event) });
      void queue(() => stream.writeSSE({ event: 'message', data }));
    };
    const comment = () => queue(() => stream.write(': still here\n\n'));
    const watched = async () => (await readSession(caller.parts, caller)).watched;
    await Promise.all([
      keepAlive(comment, { clock: deps.clock, signal }),
      followChanges(caller, { changed, ready: () => void comment(), watched, signal }).finally(() =>
        work.stop('shutdown'),
      ),
    ]);
  });
}

function notificationOf(event: ServerEvent) {
  if (event.kind === 'resource_updated') {
    return { method: 'notifications/resources/updated', params: { uri: event.uri } };
  }
  const list = event.kind.slice(0, event.kind.indexOf('_'));
  return { method: `notifications/${list}/list_changed` };
}
