import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Refusal } from '../../../base/refusal.ts';
import { Scope } from '../../../base/scope.ts';
import { Work } from '../../../base/signal.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { openFeed } from '../../feed/feed.ts';
import { startAt } from '../../feed/history.ts';
import type { Env } from '../../http/context.ts';
import { keepAlive, openLifetime } from '../../http/frame-stream.ts';
import { streamCall } from './call-stream.ts';
import type { McpCaller } from './caller.ts';
import { listPollMs } from './limits.ts';
import { promptsOf, toolsOf } from './mcp-server.ts';
import { parseEventId } from './stream-place.ts';

/** The stream of the session, or of a call from an event on. */
export async function getStream(context: Context<Env>, caller: McpCaller): Promise<Response> {
  const last = context.req.header('last-event-id');
  if (last === undefined) return streamSession(context, caller);
  const place = parseEventId(last);
  if (place) return streamCall(context, caller, place);
  throw new Refusal('invalid_input', 'Last-Event-ID: not an id of this server');
}

/** What the server sends outside of calls: that a list has changed. It ends with its connection, or with its endpoint. */
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
    };
    const changed = (list: string) => {
      const data = { jsonrpc: '2.0', method: `notifications/${list}/list_changed` };
      queue(() => stream.writeSSE({ event: 'message', data: JSON.stringify(data) }));
    };
    const comment = () => queue(() => stream.write(': still here\n\n'));
    await using scope = new Scope();
    await Promise.all([
      keepAlive(comment, { clock: deps.clock, signal }),
      followLists(caller, { changed, ready: comment, signal, scope }).finally(() =>
        work.stop('shutdown'),
      ),
    ]);
  });
}

type Following = {
  changed(list: string): void;
  /** Called when it would see the next change. */
  ready(): void;
  readonly signal: AbortSignal;
  readonly scope: Scope;
};

async function followLists(caller: McpCaller, following: Following): Promise<void> {
  const { parts, bundle, endpoint } = caller;
  const { changed, ready, signal } = following;
  let lists = listsOf(endpoint);
  let isFollowed = false;
  try {
    for (;;) {
      if (!isFollowed) {
        isFollowed = await followFiles(caller, following);
        ready();
      }
      await parts.deps.clock.sleep(listPollMs, { signal });
      const now = parts.deps.bundles.endpoint(bundle, endpoint.id);
      if (!now) return;
      const next = listsOf(now);
      if (next.tools !== lists.tools) changed('tools');
      if (next.prompts !== lists.prompts) changed('prompts');
      lists = next;
    }
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}

function listsOf(endpoint: McpCaller['endpoint']) {
  return { tools: JSON.stringify(toolsOf(endpoint)), prompts: JSON.stringify(promptsOf(endpoint)) };
}

/** New files of the session are new resources. False: its conversation does not exist yet. */
async function followFiles(
  { parts, sender, conversation }: McpCaller,
  { changed, signal, scope }: Following,
): Promise<boolean> {
  const row = await parts.deps.store.find(sender, conversation, { signal });
  if (!row) return false;
  const send = ({ type }: WireEnvelope) => {
    if (type === 'chat.files') changed('resources');
  };
  const sink = { send, ready: async () => undefined, end: () => undefined };
  scope.own(openFeed(parts.deps, row, { start: startAt(row, 'now'), sink }));
  return true;
}
