import { Fault } from '../../../runtime/base/fault.ts';
import { type Handlers, on } from '../rpc/peer.ts';
import { callMethods, notifications } from '../rpc/rpc-protocol.ts';
import { type Offers, pullStream } from '../rpc/streams.ts';
import type { OpenCalls } from './open-calls.ts';

/** Serves requests and notifications for calls, with the services that the engine provided for each call. */
export function serveCalls(calls: OpenCalls, offers: Offers): Handlers {
  return new Map([...serveMethods(calls, offers), ...serveNotifications(calls)]);
}

function serveMethods(calls: OpenCalls, offers: Offers): Handlers {
  const services = (call: number) => calls.get(call).context.services;
  return new Map([
    on(callMethods.read, async ({ call, path }) => (await services(call).read(path)) ?? null),
    on(callMethods.bytes, async ({ call, path }) => {
      const { context, streams } = calls.get(call);
      const found = await context.services.read(path);
      if (!found) throw new Fault('BLOB_MISSING', { because: path });
      const stream = offers.offer(await context.services.stream(found));
      streams.push(stream);
      return stream;
    }),
    on(callMethods.write, ({ call, file, stream }, peer) =>
      services(call).writeFile({ ...file, bytes: pullStream(peer, stream) }),
    ),
    on(callMethods.addSources, ({ call, rows }) => services(call).addSources(rows)),
    on(callMethods.search, ({ call, query }) => services(call).search(query)),
    on(callMethods.turns, ({ call, query }) => services(call).turns(query)),
    on(callMethods.callTool, ({ call, tool, input }) => {
      const { callTool } = calls.get(call).context;
      if (!callTool) throw new Fault('NOT_AVAILABLE', { because: 'ctx.call' });
      return callTool(tool, input);
    }),
  ]);
}

function serveNotifications(calls: OpenCalls): Handlers {
  const services = (call: number) => calls.get(call).context.services;
  return new Map([
    on(notifications.progress, ({ call, ...progress }) => services(call).progress(progress)),
    on(notifications.emit, ({ call, type, data }) => services(call).emit(type, data)),
    on(notifications.note, ({ call, text, ...options }) => services(call).note(text, options)),
    on(notifications.notice, ({ call, code, text }) => services(call).notice(code, text)),
    on(notifications.openPage, ({ call, page, name, ...options }) => {
      const { context, pages } = calls.get(call);
      pages.set(page, context.services.canvas(name, options));
    }),
    on(notifications.writePage, ({ call, page, text }) =>
      calls.get(call).pages.get(page)?.write(text),
    ),
    on(notifications.closePage, ({ call, page }) => calls.get(call).pages.get(page)?.close()),
  ]);
}
