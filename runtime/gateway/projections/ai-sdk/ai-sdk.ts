import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf, withoutUndefined } from '../../feed/wire-json.ts';
import { fileUrl } from '../file-url.ts';
import type { Projection, ProjectionKind, SseFrame, TurnNames } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { tokensOf } from '../turn-facts.ts';
import { toDataChunk } from './data-parts.ts';
import { type Chunk, StepParts } from './step-parts.ts';
import { ToolParts } from './tool-parts.ts';

/** How a stream that begins within a turn shows it: as a new message with this id, or as more of the client's message. */
export type JoinedMessage = { readonly id: string } | 'continued';

/** The UI message stream of the AI SDK. */
export function aiSdk(joined?: JoinedMessage): ProjectionKind {
  return {
    open: (names) => new AiSdkProjection(names, joined),
    isResumable: false,
    headers: { 'x-vercel-ai-ui-message-stream': 'v1', 'x-accel-buffering': 'no' },
    last: { data: '[DONE]' },
  };
}

const partTypes: ReadonlyMap<string, string> = new Map([
  ['answer', 'text'],
  ['thinking', 'reasoning'],
]);
const dataNames: ReadonlyMap<string, string> = new Map([
  ['canvas', 'canvas'],
  ['code', 'code'],
  ['timeline_text', 'note'],
]);

/**
 * One turn is one assistant message, and each round a step. A generation that is retried resets its step; a turn that
 * waits for an approval or a client's tool ends the stream, as the protocol does.
 */
class AiSdkProjection implements Projection {
  isOver = false;
  readonly #names: TurnNames;
  readonly #joined: JoinedMessage | undefined;
  readonly #pieces = new TextPieces();
  readonly #step = new StepParts();
  readonly #tools: ToolParts;
  readonly #open = new Set<string>();
  readonly #texts = new Map<string, string>();

  constructor(names: TurnNames, joined: JoinedMessage | undefined) {
    this.#names = names;
    this.#joined = joined;
    this.#tools = new ToolParts({ hasDecided: joined === 'continued' });
  }

  get isWaiting(): boolean {
    return this.#tools.isWaiting;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    return this.#take(envelope).map(toFrame);
  }

  pause(): readonly SseFrame[] {
    return [toFrame(this.#finish('tool-calls', {}))];
  }

  begin(): readonly SseFrame[] {
    this.#open.clear();
    const joined = this.#joined ?? { id: this.#names.turn };
    if (joined === 'continued') return this.#tools.missed().map(toFrame);
    this.#step.begin();
    this.#tools.forget();
    return [this.#start(joined.id), { type: 'start-step' }].map(toFrame);
  }

  #take(envelope: WireEnvelope): readonly Chunk[] {
    const { type, data = {} } = envelope;
    switch (type) {
      case 'chat.start':
        return [this.#start(this.#names.turn)];
      case 'round.open':
        this.#step.begin();
        return [{ type: 'start-step' }];
      case 'round.close':
        return [{ type: 'finish-step' }, ...this.#stream(envelope)];
      case 'chat.tool':
      case 'chat.approval':
      case 'approval.closed':
      case 'external.call':
        return this.#kept(textOf(data['call']), this.#tools.take(type, data));
      case 'chat.files':
        return itemsOf(data).map((item) => this.#file(item));
      case 'chat.complete':
      case 'chat.error':
        return this.#end(type, data);
      case 'chat.service':
        return data['ended'] === true ? [errorChunk(data)] : [];
      default:
        return [...this.#data(type, data), ...this.#stream(envelope)];
    }
  }

  #start(messageId: string): Chunk {
    const { conversation, turn } = this.#names;
    const messageMetadata = { conversation_id: conversation, turn_id: turn };
    return { type: 'start', messageId, messageMetadata };
  }

  #data(type: string, data: JsonObject): readonly Chunk[] {
    if (type === 'event.accepted' && (data['kind'] === 'prompt' || this.#isJoinedBy(data)))
      return [];
    const chunk = toDataChunk(type, data);
    if (chunk === undefined) return [];
    return chunk.transient ? [chunk] : this.#kept(`${chunk.type} ${chunk.id ?? ''}`, [chunk]);
  }

  /** The message that the client has just sent is in its list already. */
  #isJoinedBy({ message_id }: JsonObject): boolean {
    return typeof this.#joined === 'object' && this.#joined.id.endsWith(`.${textOf(message_id)}`);
  }

  #kept(part: string, chunks: readonly Chunk[]): readonly Chunk[] {
    for (const chunk of chunks) this.#step.add(part, chunk);
    return chunks;
  }

  #stream(envelope: WireEnvelope): readonly Chunk[] {
    return this.#pieces.take(envelope).flatMap((piece) => {
      const part = partTypes.get(piece.marker);
      return part === undefined ? this.#hidden(piece) : this.#text(piece, part);
    });
  }

  #text(piece: TextPiece, part: string): readonly Chunk[] {
    const { stream: id } = piece;
    if (piece.kind === 'discard') {
      this.#open.delete(id);
      return this.#step.without(id);
    }
    const chunks: Chunk[] = [];
    if (!this.#open.has(id)) chunks.push({ type: `${part}-start`, id });
    this.#open.add(id);
    if (piece.kind === 'append') chunks.push({ type: `${part}-delta`, id, delta: piece.text });
    else {
      chunks.push({ type: `${part}-end`, id });
      this.#open.delete(id);
    }
    return this.#kept(id, chunks);
  }

  /** Texts that are not part of a message: pieces for `onData` while they are written, then a part with the whole. */
  #hidden(piece: TextPiece): readonly Chunk[] {
    const { stream, marker, artifact: name, mime, title } = piece;
    const of = withoutUndefined({ stream, marker, name, mime, title });
    const before = this.#texts.get(stream) ?? '';
    if (piece.kind === 'append') {
      this.#texts.set(stream, before + piece.text);
      const data = { ...of, offset: before.length, text: piece.text };
      return [{ type: 'data-stream', data, transient: true }];
    }
    this.#texts.delete(stream);
    const part = dataNames.get(marker) ?? marker;
    if (piece.kind === 'end') {
      const chunk = { type: `data-${part}`, id: stream, data: { ...of, text: before } };
      return this.#kept(stream, [chunk]);
    }
    const data = { ...of, discarded: true };
    return [{ type: 'data-stream', data, transient: true }, ...this.#step.without(stream)];
  }

  #file({ path, mime, filename, size, description }: JsonObject): Chunk {
    const url = fileUrl(this.#names.conversation, textOf(path));
    const facts = withoutUndefined({ filename, size, description, path });
    const mediaType = textOf(mime) || 'application/octet-stream';
    return { type: 'file', url, mediaType, providerMetadata: { timeloom: facts } };
  }

  #end(type: string, data: JsonObject): readonly Chunk[] {
    this.isOver = true;
    if (type === 'chat.error') return [errorChunk(data), this.#finish('error', data)];
    const reason = textOf(data['reason']);
    const aborted = reason === 'interrupted' ? [{ type: 'abort', reason }] : [];
    return [...sourcesOf(data), ...aborted, this.#finish(finishOf(reason), data)];
  }

  #finish(finishReason: string, data: JsonObject): Chunk {
    const { reason, degraded } = data;
    const { prompt, completion, total, cached } = tokensOf(data);
    const tokens = { inputTokens: prompt, outputTokens: completion, totalTokens: total };
    const usage = reason === undefined ? undefined : { ...tokens, cachedInputTokens: cached };
    const messageMetadata = withoutUndefined({ reason, degraded, usage });
    return { type: 'finish', finishReason, messageMetadata };
  }
}

function toFrame(chunk: Chunk): SseFrame {
  return { data: JSON.stringify(chunk) };
}

function errorChunk({ code, message }: JsonObject): Chunk {
  return { type: 'error', errorText: textOf(message) || 'the turn failed', code };
}

function finishOf(reason: string): string {
  if (reason === 'completed') return 'stop';
  return reason === 'handed_off' ? 'tool-calls' : 'other';
}

function sourcesOf({ sources }: JsonObject): readonly Chunk[] {
  return (Array.isArray(sources) ? sources : []).map(objectOf).map(({ sid, title, url }) => ({
    type: 'source-url',
    sourceId: String(sid),
    url: textOf(url),
    title: textOf(title),
  }));
}

function itemsOf({ items }: JsonObject): readonly JsonObject[] {
  return (Array.isArray(items) ? items : []).map(objectOf);
}
