import { type ChannelEvent, decisionChannel, type Notice, type ScanNoticeCode } from './channel.ts';

/** One channel from its opening to its closing. */
export type ChannelInstance = {
  readonly channel: string;
  readonly instance: number;
  /** Its place among all instances of the reply. */
  readonly order: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Without the line break right after the opening tag and the one right before the closing tag. */
  readonly text: string;
  readonly how: 'tag' | 'implicit' | 'end';
};

/** Everything one reply of the model held, channel by channel. Empty instances are left out, except of decisions. */
export type Packet = {
  readonly thinking: readonly ChannelInstance[];
  readonly decisions: readonly ChannelInstance[];
  readonly codes: readonly ChannelInstance[];
  /** Attributes: `name`, `mime`, `title`, each if given. */
  readonly canvases: readonly ChannelInstance[];
  readonly timelineTexts: readonly ChannelInstance[];
  readonly internals: readonly ChannelInstance[];
  /** The last one. */
  readonly summary: string | undefined;
  /** Channels that a bundle declared. */
  readonly others: readonly ChannelInstance[];
  readonly notices: readonly Notice<ScanNoticeCode>[];
  /** The bodies of all channels, in order: what the model said, whatever it was worth. */
  readonly usedText: string;
};

type Open = Omit<ChannelInstance, 'how' | 'text'> & { text: string; how: ChannelInstance['how'] };

/** Gathers the channel events of one reply. */
export interface PacketCollector {
  push(events: readonly ChannelEvent[]): void;
  /** What came so far; an instance still open is taken as ended. */
  packet(): Packet;
}

export function createPacketCollector(): PacketCollector {
  const instances: Open[] = [];
  const notices: Notice<ScanNoticeCode>[] = [];
  return {
    push(events) {
      for (const event of events) take(event, instances, notices);
    },
    packet: () => toPacket(instances.map(finished), notices),
  };
}

function take(event: ChannelEvent, instances: Open[], notices: Notice<ScanNoticeCode>[]): void {
  // Channels never nest: text and closing always belong to the last one opened.
  const last = instances.at(-1);
  if (event.kind === 'opened') {
    const { channel, instance, attributes } = event;
    const order = instances.length;
    instances.push({ channel, instance, order, attributes, text: '', how: 'end' });
  } else if (event.kind === 'notice') {
    const { code, message, detail } = event;
    notices.push({ code, message, detail });
  } else if (last !== undefined) {
    if (event.kind === 'text') last.text += event.text;
    else last.how = event.how;
  }
}

function finished(open: Open): ChannelInstance {
  return { ...open, text: open.text.replace(/^\r?\n/, '').replace(/\r?\n$/, '') };
}

function toPacket(
  instances: readonly ChannelInstance[],
  notices: readonly Notice<ScanNoticeCode>[],
): Packet {
  const full = instances.filter(({ text }) => text.trim() !== '');
  const of = (channel: string) => full.filter((each) => each.channel === channel);
  const named = ['thinking', 'code', 'canvas', 'timeline_text', 'internal', 'summary'];
  return {
    thinking: of('thinking'),
    decisions: instances.filter(({ channel }) => channel === decisionChannel),
    codes: of('code'),
    canvases: of('canvas'),
    timelineTexts: of('timeline_text'),
    internals: of('internal'),
    summary: of('summary').at(-1)?.text,
    others: full.filter(({ channel }) => ![...named, decisionChannel].includes(channel)),
    notices: [...notices],
    usedText: full.map(({ text }) => text).join('\n\n'),
  };
}
