import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf, withoutUndefined } from '../../feed/wire-json.ts';
import { fileUrl } from '../file-url.ts';
import { GrowthGate } from '../growth-gate.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark, TurnNames } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { outcomeOf, tokensOf, toText } from '../turn-facts.ts';

/** Messages of AgentScope as they are printed: each frame has the whole message so far. */
export const agentScope: ProjectionKind = {
  open: (names) => new AgentScopeProjection(names),
  isResumable: true,
  showsDelegates: true,
};

type Block = { readonly type: string; readonly [field: string]: unknown };
type Message = {
  readonly id: string;
  readonly name: string;
  readonly role: 'assistant' | 'system';
  readonly content: readonly Block[];
};

/** Where each stream is shown; canvases and programs are not part of a message. */
const blockFields: ReadonlyMap<string, string> = new Map([
  ['thinking', 'thinking'],
  ['answer', 'text'],
  ['timeline_text', 'text'],
]);

/**
 * Each round is a message of the agent, each result a message of the system. `last` is true when a message is complete
 * for now; a later frame with the same id replaces it. The end of an agent is an event of its own.
 */
class AgentScopeProjection implements Projection {
  isOver = false;
  readonly #names: TurnNames;
  readonly #pieces = new TextPieces();
  /** The blocks of the current message, by stream or call. */
  #blocks = new Map<string, Block>();
  readonly #gates = new Map<string, GrowthGate>();
  readonly #progress = new Map<string, string>();
  /** The characters of streams whose end the client has seen, from frames that cannot be repeated. */
  readonly #ended = new Map<string, number>();
  #round = 0;
  #agent = 'agent';
  #isComplete = true;

  constructor(names: TurnNames) {
    this.#names = names;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const { type, event, data = {} } = envelope;
    this.isOver = false;
    switch (type) {
      case 'chat.start':
        this.#agent = textOf(data['agent_id']) || event.agent;
        // Shows that a turn is at work.
        return [this.#message(false)];
      case 'round.open':
        return this.#begin(data);
      case 'round.close':
        return [...this.#stream(envelope), ...this.#complete()];
      case 'chat.tool':
        return this.#tool(data);
      case 'chat.approval':
        return this.#use(textOf(data['call']), { ...data, state: 'awaiting_approval' });
      case 'chat.tool.progress':
        return this.#progressed(data);
      case 'chat.files':
        return this.#images(data);
      case 'chat.complete':
      case 'chat.error':
        return this.#end(type, data);
      default:
        return this.#stream(envelope);
    }
  }

  /** Texts that have ended and have no block yet: the block brings nothing that the client does not have. */
  streams(): ReadonlyMap<string, StreamMark> {
    const marks = new Map<string, StreamMark>();
    for (const [stream, { ended }] of this.#pieces.shown()) {
      const text = this.#textOf(stream);
      if (ended && text !== '') marks.set(stream, { chars: text.length, ended });
    }
    return marks;
  }

  resume(streams: ReadonlyMap<string, StreamMark>): void {
    for (const [stream, { chars }] of streams) this.#ended.set(stream, chars);
  }

  #textOf(stream: string): string {
    const block = this.#blocks.get(stream);
    return block === undefined ? '' : String(block[block.type] ?? '');
  }

  #begin({ round }: JsonObject): readonly SseFrame[] {
    const before = this.#complete();
    this.#round = typeof round === 'number' ? round : this.#round + 1;
    this.#blocks = new Map();
    return before;
  }

  #complete(): readonly SseFrame[] {
    return this.#isComplete || this.#blocks.size === 0 ? [] : [this.#message(true)];
  }

  #message(last: boolean): SseFrame {
    this.#isComplete = last;
    const { turn } = this.#names;
    const content = [...this.#blocks.values()];
    return toFrame(
      { id: `${turn}.${Math.max(1, this.#round)}`, name: this.#agent, role: 'assistant', content },
      last,
    );
  }

  #stream(envelope: WireEnvelope): readonly SseFrame[] {
    const pieces = this.#pieces.take(envelope);
    const isShown = pieces.map((piece) => this.#piece(piece)).includes(true);
    if (!isShown) return [];
    const isAnswered = pieces.some(({ kind, marker }) => kind === 'end' && marker === 'answer');
    return [this.#message(isAnswered)];
  }

  /** Whether the message is due. */
  #piece({ stream, marker, ...piece }: TextPiece): boolean {
    const field = blockFields.get(marker);
    if (field === undefined) return false;
    const gate = this.#gates.get(stream) ?? new GrowthGate();
    this.#gates.set(stream, gate);
    if (piece.kind === 'discard') {
      this.#blocks.delete(stream);
      this.#gates.delete(stream);
      this.#ended.delete(stream);
      return true;
    }
    const known = this.#ended.get(stream);
    // The end of an answer completes the message; that of a thought shows its last characters.
    if (piece.kind === 'end') {
      const isKnown = known === this.#textOf(stream).length;
      if (isKnown) this.#isComplete ||= marker === 'answer';
      return !isKnown && (marker === 'answer' || gate.isBehind);
    }
    const text = `${this.#textOf(stream)}${piece.text}`;
    this.#blocks.set(stream, { type: field, [field]: text });
    return gate.isDue(piece.text.length) && known !== text.length;
  }

  #tool(data: JsonObject): readonly SseFrame[] {
    const call = textOf(data['call']);
    if (data['state'] !== 'done') return this.#use(call, data);
    const outcome = outcomeOf(data);
    const output = outcome.ok ? toText(outcome.ret) : `Error: ${outcome.message || outcome.code}`;
    return [...this.#complete(), this.#result(call, { tool: data['tool'], output, last: true })];
  }

  #use(id: string, { tool, input = {}, state, request }: JsonObject): readonly SseFrame[] {
    const waits = state === 'awaiting_approval' ? withoutUndefined({ state, request }) : {};
    this.#blocks.set(id, { type: 'tool_use', id, name: tool, input, ...waits });
    return [this.#message(true)];
  }

  #progressed({ call, id, tool, text, append }: JsonObject): readonly SseFrame[] {
    // Calls of a program are part of its own result.
    if (id !== undefined) return [];
    const name = textOf(call);
    const before = append === true ? (this.#progress.get(name) ?? '') : '';
    const output = `${before}${textOf(text)}`;
    this.#progress.set(name, output);
    const known = this.#blocks.get(name)?.['name'] ?? tool;
    return [this.#result(name, { tool: known, output, last: false })];
  }

  #result(
    call: string,
    { tool, output, last }: { tool: unknown; output: string; last: boolean },
  ): SseFrame {
    const content = [{ type: 'tool_result', id: call, name: tool, output }];
    return toFrame({ id: `${call}.result`, name: 'system', role: 'system', content }, last);
  }

  #images({ items }: JsonObject): readonly SseFrame[] {
    const images = (Array.isArray(items) ? items : [])
      .map(objectOf)
      .filter(({ mime }) => textOf(mime).startsWith('image/'));
    for (const { path } of images) {
      const url = fileUrl(this.#names.conversation, textOf(path));
      this.#blocks.set(textOf(path), { type: 'image', source: { type: 'url', url } });
    }
    return images.length === 0 ? [] : [this.#message(true)];
  }

  #end(type: string, data: JsonObject): readonly SseFrame[] {
    const { code, message, reason } = data;
    const error = type === 'chat.error' ? { code, message } : undefined;
    const { prompt, completion } = tokensOf(data);
    const usage = { input_tokens: prompt, output_tokens: completion };
    const end = withoutUndefined({
      ...{ name: this.#agent, conversation_id: this.#names.conversation },
      ...{ turn_id: this.#names.turn, reason: error ? 'failed' : reason, usage },
      ...(error && { error: withoutUndefined(error) }),
    });
    const completed = this.#complete();
    this.isOver = true;
    return [...completed, { event: 'end', data: JSON.stringify(end) }];
  }
}

function toFrame(message: Message, last: boolean): SseFrame {
  return { data: JSON.stringify({ message, last }) };
}
