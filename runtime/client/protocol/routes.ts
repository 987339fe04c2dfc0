/** Sent with every request of this library. Only scripts can send it; images, links and forms cannot. */
export const clientHeader = 'x-timeloom-client';

/** `<tenant>/<project>`, for requests without them in their path. */
export const projectHeader = 'x-timeloom-project';

/** The socket events that a server sends. The envelope's type selects exactly one of them. */
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

/** Types without their own route use `chat_step`. */
export function routeOf(type: string): Route {
  return routesByType.get(type) ?? 'chat_step';
}
