import { z } from 'zod';

const event = z.object({ id: z.string(), event: z.string(), data: z.string() });
export type ServerEvent = z.infer<typeof event>;

/** The events of a response, as they arrive; a comment is the event `:`. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += piece;
    for (let cut = text.indexOf('\n\n'); cut >= 0; cut = text.indexOf('\n\n')) {
      yield parseEvent(text.slice(0, cut));
      text = text.slice(cut + 2);
    }
  }
}

function parseEvent(text: string): ServerEvent {
  const fields = { id: '', event: text.startsWith(':') ? ':' : 'message', data: '' };
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data') fields.data += (fields.data && '\n') + value;
    if (name === 'id' || name === 'event') fields[name] = value;
  }
  return event.parse(fields);
}

/** All events until the server ends the response. */
export async function allEvents(response: Response): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const each of eventsOf(response)) events.push(each);
  return events;
}
