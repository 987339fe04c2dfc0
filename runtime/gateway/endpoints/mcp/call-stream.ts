import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Work } from '../../../base/signal.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { findConversation } from '../../auth/find-conversation.ts';
import { startAt } from '../../feed/history.ts';
import type { Env } from '../../http/context.ts';
import { keepAlive, openLifetime } from '../../http/frame-stream.ts';
import { followTurn } from '../follow-turn.ts';
import { elicitationRequest } from './approvals.ts';
import { resultOf } from './call-result.ts';
import { CallWriter } from './call-writer.ts';
import type { McpCaller } from './messages/caller.ts';
import type { StreamPlace } from './messages/stream-place.ts';
import { toRpcError } from './messages/to-rpc-error.ts';

/**
 * The stream of one call from a place on: progress, then the result. Every event has an id, so a client whose connection was
 * cut goes on with `Last-Event-ID`, on any server. Cutting the stream does not stop the call.
 */
export async function streamCall(
  context: Context<Env>,
  caller: McpCaller,
  place: StreamPlace,
): Promise<Response> {
  const { parts, conversation: session, sender, signal } = caller;
  const row = await findConversation(parts.deps.store, sender, { conversation: session, signal });
  const start = startAt(row, place.cursor);
  const first = startAt(row, place.first);
  context.header('Mcp-Session-Id', session);
  return streamSSE(context, async (stream) => {
    using work = new Work(signal);
    using _lifetime = openLifetime(context.get('untilMs'), { clock: parts.deps.clock, work });
    stream.onAbort(() => work.stop('shutdown'));
    const writer = new CallWriter(stream, place, caller.logs);
    await writer.begin(context.req.header('mcp-protocol-version'));
    const keeping = keepAlive(() => writer.comment(), {
      clock: parts.deps.clock,
      signal: work.signal,
    });
    try {
      const following = { row, start, turn: place.turn };
      const each = (envelope: WireEnvelope) => {
        writer.progress(envelope);
        const { type, data = {} } = envelope;
        if (!caller.elicits || type !== 'chat.approval') return;
        writer.ask(elicitationRequest(caller, data));
      };
      const end = await followTurn(parts.deps, following, { signal: work.signal, each });
      const call = { row, turn: place.turn, start: first };
      await writer.end(
        async () => {
          if (!end) throw new Error('the conversation has ended');
          return resultOf(caller, call, { name: place.name, end });
        },
        (error) => toRpcError(parts.intake.explain(error)),
      );
    } catch (reason) {
      if (!work.signal.aborted) throw reason;
    } finally {
      work.stop('shutdown');
      await keeping;
    }
  });
}
