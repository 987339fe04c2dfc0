/** On every request of this library: a page sends it from its own scripts only, never by an image, a link or a form. */
export const clientHeader = 'x-timeloom-client';

/** The socket events a server sends. Every envelope travels on exactly one of them, chosen by its type. */
export const routes = [
  'chat_start',
  'chat_step',
  'chat_delta',
  'chat_compaction',
  'chat_complete',
  'chat_error',
  'chat_service',
  'conv_status',
] as const;

export type Route = (typeof routes)[number];

const routesByType: ReadonlyMap<string, Route> = new Map([
  ['chat.start', 'chat_start'],
  ['chat.delta', 'chat_delta'],
  ['chat.compaction', 'chat_compaction'],
  ['chat.complete', 'chat_complete'],
  ['chat.error', 'chat_error'],
  ['chat.service', 'chat_service'],
  ['conv.status', 'conv_status'],
]);

/** Types without a route of their own ride `chat_step`. */
export function routeOf(type: string): Route {
  return routesByType.get(type) ?? 'chat_step';
}
