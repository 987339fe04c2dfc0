import { Fault } from '../../../runtime/base/fault.ts';
import { type Handlers, on } from '../rpc/peer.ts';
import { asks, shows } from '../rpc/rpc-protocol.ts';
import { type Offers, pulled } from '../rpc/streams.ts';
import type { OpenCalls } from './open-calls.ts';

/** What a process asks and shows for its calls: done by the services that the engine gave each of them. */
export function serveCalls(calls: OpenCalls, offers: Offers): Handlers {
  return new Map([...serveAsks(calls, offers), ...serveShows(calls)]);
}

function serveAsks(calls: OpenCalls, offers: Offers): Handlers {
  const services = (call: number) => calls.get(call).context.services;
  return new Map([
    on(asks.read, async ({ call, path }) => (await services(call).read(path)) ?? null),
    on(asks.bytes, async ({ call, path }) => {
      const { context, streams } = calls.get(call);
      const found = await context.services.read(path);
      if (!found) throw new Fault('BLOB_MISSING', { because: path });
      const stream = offers.offer(await context.services.stream(found));
      streams.push(stream);
      return stream;
    }),
    on(asks.write, ({ call, file, stream }, peer) =>
      services(call).writeFile({ ...file, bytes: pulled(peer, stream) }),
    ),
    on(asks.addSources, ({ call, rows }) => services(call).addSources(rows)),
    on(asks.search, ({ call, query }) => services(call).search(query)),
    on(asks.turns, ({ call, query }) => services(call).turns(query)),
    on(asks.callTool, ({ call, tool, input }) => {
      const { callTool } = calls.get(call).context;
      if (!callTool) throw new Fault('NOT_AVAILABLE', { because: 'ctx.call' });
      return callTool(tool, input);
    }),
  ]);
}

function serveShows(calls: OpenCalls): Handlers {
  const services = (call: number) => calls.get(call).context.services;
  return new Map([
    on(shows.progress, ({ call, ...progress }) => services(call).progress(progress)),
    on(shows.emit, ({ call, type, data }) => services(call).emit(type, data)),
    on(shows.note, ({ call, text, ...options }) => services(call).note(text, options)),
    on(shows.notice, ({ call, code, text }) => services(call).notice(code, text)),
    on(shows.openPage, ({ call, page, name, ...options }) => {
      const { context, pages } = calls.get(call);
      pages.set(page, context.services.canvas(name, options));
    }),
    on(shows.writePage, ({ call, page, text }) => calls.get(call).pages.get(page)?.write(text)),
    on(shows.closePage, ({ call, page }) => calls.get(call).pages.get(page)?.close()),
  ]);
}
