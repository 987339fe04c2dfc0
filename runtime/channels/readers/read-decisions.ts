import { DecisionReader } from '../decision/decision-reader.ts';
import type { ReadEvent } from '../decision/read-event.ts';
import { decisionChannel } from '../protocol/channel.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';
import { FieldChannels, type FieldOptions } from './field-channels.ts';

type DecisionEvent = Extract<ReplyEvent, { readonly channel: string }>;

type OpenDecision = { readonly reader: DecisionReader; readonly channels?: FieldChannels };

/** Reads the decisions of a reply. With `fields`, channels in fields of decisions become events of their own. */
export function readingDecisions(
  fields?: FieldOptions,
): (events: readonly ReplyEvent[]) => readonly ReadEvent[] {
  const open = new Map<number, OpenDecision>();
  const take = (event: DecisionEvent): readonly ReadEvent[] => {
    const { instance } = event;
    if (event.kind === 'opened') {
      const reader = new DecisionReader();
      open.set(instance, { reader, ...(fields && { channels: new FieldChannels(fields) }) });
      return [{ ...event, decision: reader }];
    }
    const { reader, channels } = open.get(instance) ?? {};
    if (event.kind === 'text') {
      const news = reader?.push(event.text) ?? [];
      return [{ ...event, fields: news }, ...(channels?.take(news) ?? [])];
    }
    open.delete(instance);
    return event.kind === 'closed' ? [...(channels?.end() ?? []), event] : [event];
  };
  return (events) =>
    events.some(isOfDecision)
      ? events.flatMap((event) => (isOfDecision(event) ? take(event) : [event]))
      : events;
}

function isOfDecision(event: ReplyEvent): event is DecisionEvent {
  return 'channel' in event && event.channel === decisionChannel;
}
