import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { BlobRef, Block } from '../../timeline/block.ts';
import type { TurnView } from '../../timeline/view.ts';
import { choiceOf } from '../agent/turn-data.ts';

type StoredFile = {
  readonly name: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly preview?: string;
};

/** What opened a turn. */
export type OriginalTurn = {
  readonly text: string;
  readonly agent: ReturnType<typeof choiceOf>;
  readonly options: Json | undefined;
  /** The call that the turn made without a model. */
  readonly call: { readonly tool: string; readonly input: JsonObject } | undefined;
  /** Stored already; a rerun names the same bytes. */
  readonly files: readonly StoredFile[];
};

export function originalOf(blocks: readonly Block[], turn: TurnView): OriginalTurn {
  const prompt = turn.events.find(({ type }) => type === 'user.prompt') ?? turn.events[0];
  const data = isJsonObject(turn.data) ? turn.data : {};
  const own = blocks.filter(
    ({ type, turn: id, event }) =>
      type === 'user.attachment' && id === turn.id && event === prompt?.event,
  );
  return {
    text: prompt?.text ?? (typeof data['text'] === 'string' ? data['text'] : ''),
    agent: choiceOf(turn),
    options: data['options'],
    call: callIn(data['call']),
    files: own.flatMap(({ blob, mime = '', text: preview, data: facts }): StoredFile[] => {
      const name = isJsonObject(facts) ? facts['filename'] : undefined;
      if (!blob || typeof name !== 'string') return [];
      return [{ name, mime, blob, ...(preview !== undefined && { preview }) }];
    }),
  };
}

function callIn(call: Json | undefined): OriginalTurn['call'] {
  const { tool, input } = isJsonObject(call) ? call : {};
  return typeof tool === 'string' && isJsonObject(input) ? { tool, input } : undefined;
}
