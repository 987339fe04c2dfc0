import type { DecisionReader } from '../decision/decision-reader.ts';
import type { ReadEvent } from '../decision/read-event.ts';
import {
  type ChannelEvent,
  decisionChannel,
  type Notice,
  type ScanNoticeCode,
} from '../protocol/channel.ts';
import type { ForeignText } from '../protocol/foreign-text.ts';
import { outsideCharsMax, previewCharsMax } from '../protocol/limits.ts';
import { cut } from '../scan/outside-text.ts';

/** One channel from its opening to its closing. */
export type ChannelInstance = {
  readonly channel: string;
  readonly instance: number;
  /** Its position among all instances of the reply. */
  readonly order: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** The body without the line breaks directly inside the tags. */
  readonly text: string;
  readonly how: 'tag' | 'implicit' | 'end';
  /** Set if its own tag did not open it. */
  readonly as?: NonNullable<Extract<ChannelEvent, { kind: 'opened' }>['as']>;
};

/** A decision, as it was read while it was written. */
export type DecisionInstance = ChannelInstance & { readonly decision: DecisionReader };

/** Text that does not belong in a reply, with its beginning. */
export type ForeignPart = ForeignText & { readonly text: string };

/** The content of one reply of the model, by channel. Omits empty instances, except decisions. */
export type ParsedReply = {
  readonly thinking: readonly ChannelInstance[];
  readonly decisions: readonly DecisionInstance[];
  readonly codes: readonly ChannelInstance[];
  /** Attributes: `name`, `mime` and `title`, all optional. */
  readonly canvases: readonly ChannelInstance[];
  readonly timelineTexts: readonly ChannelInstance[];
  readonly internals: readonly ChannelInstance[];
  /** The last summary of the reply. */
  readonly summary: string | undefined;
  /** Channels declared by a bundle. */
  readonly others: readonly ChannelInstance[];
  readonly notices: readonly Notice<ScanNoticeCode>[];
  /** The first foreign text that ends the reply, else the first one. */
  readonly foreign: ForeignPart | undefined;
  /** Unused plain text outside channels, before any foreign text. */
  readonly outsideText: string;
  /** The order of the instance that it directly follows; -1 if it begins the reply. */
  readonly outsideAfter: number;
};

type Open = Omit<ChannelInstance, 'how' | 'text'> & {
  /** Of a decision, its reader keeps the text. */
  text: string;
  how: ChannelInstance['how'];
  readonly decision?: DecisionReader;
};

/** Collects the channel events of one reply. */
interface ReplyCollector {
  push(events: readonly ReadEvent[]): void;
  /** The reply so far; an open instance counts as ended. */
  reply(): ParsedReply;
}

type Gathered = {
  readonly instances: Open[];
  readonly notices: Notice<ScanNoticeCode>[];
  foreign: ForeignPart | undefined;
  outsideText: string;
  outsideAfter: number;
};

export function createReplyCollector(): ReplyCollector {
  const gathered: Gathered = {
    instances: [],
    notices: [],
    foreign: undefined,
    outsideText: '',
    outsideAfter: -1,
  };
  return {
    push(events) {
      for (const event of events) take(event, gathered);
    },
    reply: () => toPacket(gathered),
  };
}

function take(event: ReadEvent, gathered: Gathered): void {
  const { instances, notices } = gathered;
  if (event.kind === 'opened') {
    const { channel, instance, attributes, as, decision } = event;
    const order = (instances.at(-1)?.order ?? -1) + 1;
    const opened = { channel, instance, order, attributes, text: '', how: 'end' as const };
    instances.push({ ...opened, ...(as && { as }), ...(decision && { decision }) });
  } else if (event.kind === 'notice') {
    const { code, message, detail } = event;
    notices.push({ code, message, detail });
  } else if (event.kind === 'withdrawn') {
    instances.splice(indexOf(event, instances), 1);
  } else if (event.kind === 'text' || event.kind === 'closed') takeBody(event, instances);
  else takeOutside(event, gathered);
}

function takeBody(
  event: Extract<ReadEvent, { kind: 'text' | 'closed' }>,
  instances: readonly Open[],
): void {
  const open = instances[indexOf(event, instances)];
  if (open === undefined) return;
  if (event.kind === 'text') open.text += open.decision === undefined ? event.text : '';
  else open.how = event.how;
}

/** Almost always the last one: only a program written as an argument is open beside its decision. */
function indexOf(
  { channel, instance }: Pick<ChannelInstance, 'channel' | 'instance'>,
  instances: readonly Open[],
): number {
  return instances.findLastIndex((each) => each.channel === channel && each.instance === instance);
}

function takeOutside(
  event: Extract<ReadEvent, { kind: 'outside' | 'foreign' }>,
  gathered: Gathered,
): void {
  const { foreign, instances } = gathered;
  if (event.kind === 'foreign' && (foreign === undefined || (event.ends && !foreign.ends))) {
    const { what, ends, text } = event;
    gathered.foreign = { what, ends, text };
  } else if (foreign === undefined) {
    const isFirst = gathered.outsideText === '';
    if (isFirst) gathered.outsideAfter = instances.at(-1)?.order ?? -1;
    const text = isFirst ? event.text.trimStart() : event.text;
    gathered.outsideText = extended(gathered.outsideText, text, outsideCharsMax);
  } else {
    gathered.foreign = { ...foreign, text: extended(foreign.text, event.text, previewCharsMax) };
  }
}

/** Does not touch a text that is full: joining and cutting it copies all of it. */
function extended(text: string, more: string, charsMax: number): string {
  return text.length >= charsMax ? text : cut(text + more, charsMax);
}

function finished(open: Open): Open {
  const text = open.decision?.text ?? open.text;
  return { ...open, text: text.replace(/^\r?\n/, '').replace(/\r?\n$/, '') };
}

function toPacket({ instances: open, notices, foreign, ...outside }: Gathered): ParsedReply {
  const instances = open.map(finished);
  const full = instances.filter(({ text }) => text.trim() !== '');
  const of = (channel: string) => full.filter((each) => each.channel === channel);
  const named = ['thinking', 'code', 'canvas', 'timeline_text', 'internal', 'summary'];
  return {
    thinking: of('thinking'),
    decisions: instances.filter(isDecision),
    codes: of('code'),
    canvases: of('canvas'),
    timelineTexts: of('timeline_text'),
    internals: of('internal'),
    summary: of('summary').at(-1)?.text,
    others: full.filter(({ channel }) => ![...named, decisionChannel].includes(channel)),
    notices: [...notices],
    foreign,
    outsideText: outside.outsideText.trimEnd(),
    outsideAfter: outside.outsideAfter,
  };
}

function isDecision(instance: Open): instance is Open & DecisionInstance {
  return instance.decision !== undefined;
}
