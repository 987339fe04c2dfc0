import { io } from 'socket.io-client';
import { routes } from '../../../../runtime/client/protocol/routes.ts';
import { ask, scope } from '../stage.ts';
import { eventsOf, type ServerEvent } from './events.ts';
import type { WatcherName } from './watcher-readings.ts';

/** One who follows the turn of `conv_a`: to the first text of its answer, and to its end. */
export type Watcher = {
  readonly answering: Promise<void>;
  readonly whole: Promise<readonly ServerEvent[]>;
};

/** A new connection, which goes on after an id if there is one. */
type Connect = (after: string | undefined) => AsyncIterable<ServerEvent>;

/** With `cut`, each connection is closed after that number of events. */
export function openWatcher(url: string, name: WatcherName, cut = Infinity): Watcher {
  const connect = name === 'socket' ? overSocket(url) : overHttp(url, name);
  const events: ServerEvent[] = [];
  let begin = () => {};
  const answering = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const isOver = () => events.some((event) => isEnd[name](event));
  const take = (event: ServerEvent) => {
    events.push(event);
    if (event.data.includes('The list')) begin();
  };
  const follow = async () => {
    while (!isOver()) await takeSome(connect(events.at(-1)?.id), { cut, take, isOver });
    return events;
  };
  return { answering, whole: follow() };
}

type Taking = { readonly cut: number; take(event: ServerEvent): void; isOver(): boolean };

async function takeSome(events: AsyncIterable<ServerEvent>, { cut, take, isOver }: Taking) {
  let left = cut;
  for await (const event of events) {
    take(event);
    left -= 1;
    if (left === 0 || isOver()) return;
  }
}

const isEnd: Readonly<Record<WatcherName, (event: ServerEvent) => boolean>> = {
  socket: ({ event }) => event === 'chat_complete',
  sse: ({ event }) => event === 'chat_complete',
  ai: ({ data }) => data === '[DONE]',
  'ag-ui': ({ data }) => data.startsWith('{"type":"RUN_FINISHED"'),
  openai: ({ data }) => data === '[DONE]',
  fim: ({ event }) => event === 'done',
  langgraph: ({ event }) => event === 'end',
};

function overHttp(url: string, name: WatcherName): Connect {
  const path = `${url}/api/chat/dev/dev/conversations/conv_a/stream`;
  const as = name === 'sse' ? '' : `?as=${name}`;
  return async function* (after) {
    const response = await fetch(path + as, after ? { headers: { 'last-event-id': after } } : {});
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
    for await (const event of eventsOf(response)) if (event.event !== ':') yield event;
  };
}

function overSocket(url: string): Connect {
  return (after) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true, auth: scope });
    return new ReadableStream<ServerEvent>({
      async start(controller) {
        for (const event of routes) {
          socket.on(event, (envelope: { readonly cursor: string }) => {
            controller.enqueue({ id: envelope.cursor, event, data: JSON.stringify(envelope) });
          });
        }
        const from = after === undefined ? {} : { after };
        await ask(socket, 'chat_subscribe', { conversation_id: 'conv_a', ...from });
      },
      cancel() {
        socket.removeAllListeners();
        socket.disconnect();
      },
    });
  };
}
