import type { Json, JsonObject } from '../../base/json.ts';
import type { EventStatus } from '../../client/protocol/envelope.ts';
import type { Block } from '../../timeline/block.ts';
import type { SourceRow } from '../../timeline/view.ts';

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
