import type { Json, JsonObject } from '../../base/json.ts';
import type { EventStatus, WireDelta, WireEnvelope } from '../../client/protocol/envelope.ts';
import type { DeltaFrame, LiveFrame } from '../../engine/ports/bus.ts';
import type { Block } from '../../timeline/block.ts';
import type { SourceRow } from '../../timeline/view.ts';
import type { TurnState } from './turn-state.ts';
import { objectOf, textOf } from './wire-json.ts';

/** The content of an envelope, before its cursor is known. */
export type EnvelopeBody = {
  readonly type: string;
  readonly event: {
    readonly agent: string;
    readonly step: string;
    readonly status: EventStatus;
    readonly title?: string;
  };
  readonly data: JsonObject;
};

/** The content of a frame: an envelope body, or a piece of a stream. */
export type LiveBody = Pick<WireEnvelope, 'type' | 'event' | 'data' | 'delta'>;

/** The state of the turn that a block's envelopes depend on. */
export type TurnContext = {
  readonly agent: string;
  /** Tool and input of a call of this turn. */
  call(id: string): { readonly tool: string; readonly input: Json } | undefined;
  /** Message ids of the events that rounds of this turn have read. */
  readonly landed: ReadonlySet<string>;
  /** Sources that the turn's answers cite. */
  readonly cited: readonly SourceRow[];
  /** The text with citation tokens turned into links. */
  linked(text: string, format: 'markdown' | 'html'): string;
  /** The name of a file with its owner; undefined: the path is not one of a file. */
  resource(path: string | undefined): string | undefined;
  /** Of the turn so far. */
  usage(): JsonObject;
};

export type EnvelopeMapper = (block: Block, context: TurnContext) => readonly EnvelopeBody[];

export function step(agent: string, name: string, state: EventStatus): EnvelopeBody['event'] {
  return { agent, step: name, status: state };
}

/** A step of progress names the tool of its call, as its block does. */
export function liveData({ type, data }: LiveFrame, { calls }: TurnState): JsonObject {
  const facts = objectOf(data);
  const tool = calls.get(textOf(facts['call']))?.tool;
  return type === 'chat.tool.progress' && tool !== undefined ? { ...facts, tool } : facts;
}

export function deltaBody(frame: DeltaFrame, { agent }: TurnState): LiveBody {
  const status = frame.completed ? 'completed' : 'running';
  const event = { agent, step: frame.channel, status } as const;
  return { type: 'chat.delta', event, delta: toDelta(frame) };
}

function toDelta(frame: DeltaFrame): WireDelta {
  const { channel, instance, stream, marker, text, offset, completed, artifact } = frame;
  const { name, mime, title } = artifact ?? {};
  return {
    ...{ channel, instance, stream, marker, text, offset, completed },
    ...(name !== undefined && { artifact: name }),
    ...(mime !== undefined && { mime }),
    ...(title !== undefined && { title }),
  };
}
