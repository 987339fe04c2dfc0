import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { answerOf, outcomeOf, secondsBetween, tokensOf, toText } from '../turn-facts.ts';

/** The event stream of FIM One: the SSE event is the channel name. */
export const fim: ProjectionKind = { open: () => new FimProjection(), isResumable: true };

type ToolCall = { readonly iteration: number; ts: string; isStarted: boolean };

/**
 * Iterations are rounds, from 1. A round that writes the answer from the record of the turn is not one. `thinking done`
 * comes before the tools and before the answer of its iteration.
 */
class FimProjection implements Projection {
  isOver = false;
  readonly #pieces = new TextPieces();
  readonly #calls = new Map<string, ToolCall>();
  readonly #events = new Map<string, string>();
  #opened = '';
  #iteration = 0;
  #isThinking = false;
  #reasoning = '';
  #isAnswering = false;

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const { type, data = {} } = envelope;
    this.isOver = false;
    switch (type) {
      case 'chat.start':
        this.#opened = envelope.ts;
        return this.#think(1);
      case 'round.open':
        return data['phase'] === 'answer' ? [] : this.#think(numberOf(data['round']));
      case 'round.close':
        return this.#thought();
      case 'chat.tool':
        return this.#tool(envelope, data);
      case 'chat.approval':
        return this.#awaitConfirmation(data);
      case 'tools.selecting':
        return [frame('phase', { phase: 'selecting_tools', total_tools: data['of'] ?? null })];
      case 'event.accepted':
        // The prompt that opened the turn interrupts nothing.
        if (data['kind'] === 'prompt') return [];
        this.#events.set(textOf(data['message_id']), textOf(data['text']));
        return [];
      case 'event.landed':
        return this.#inject(textOf(data['event_id']));
      case 'chat.compaction':
        return envelope.event.status === 'completed' ? [compact(data)] : [];
      case 'chat.complete':
      case 'chat.error':
        return this.#done(envelope, data);
      default:
        return this.#pieces.take(envelope).flatMap((piece) => this.#piece(piece));
    }
  }

  streams(): ReadonlyMap<string, StreamMark> {
    return this.#pieces.shown();
  }

  resume(streams: ReadonlyMap<string, StreamMark>): void {
    const unseen = this.#pieces.resume(streams);
    const answer = unseen.find(([stream]) => stream.includes('.answer.'));
    if (answer === undefined) return;
    this.#isThinking = false;
    this.#isAnswering = !answer[1].ended;
  }

  #think(iteration: number): readonly SseFrame[] {
    if (iteration <= this.#iteration) return [];
    const before = this.#thought();
    this.#iteration = iteration;
    this.#isThinking = true;
    return [...before, step({ type: 'thinking', status: 'start', iteration })];
  }

  #thought(): readonly SseFrame[] {
    if (!this.#isThinking) return [];
    this.#isThinking = false;
    const reasoning = this.#reasoning;
    this.#reasoning = '';
    return [step({ type: 'thinking', status: 'done', iteration: this.#iteration, reasoning })];
  }

  #piece(piece: TextPiece): readonly SseFrame[] {
    if (piece.marker === 'thinking') {
      if (piece.kind === 'append') this.#reasoning += piece.text;
      if (piece.kind === 'discard') this.#reasoning = '';
      return [];
    }
    if (piece.marker !== 'answer') return [];
    if (piece.kind === 'append') return [...this.#beginAnswer(), delta(piece.text)];
    this.#isAnswering = false;
    // A second `start` begins the answer again.
    if (piece.kind === 'discard') return [];
    return [frame('answer', { status: 'done' })];
  }

  #beginAnswer(): readonly SseFrame[] {
    if (this.#isAnswering) return [];
    this.#isAnswering = true;
    const signal = step({ type: 'answer', status: 'start' });
    return [...this.#thought(), signal, frame('answer', { status: 'start' })];
  }

  #tool({ ts }: WireEnvelope, data: JsonObject): readonly SseFrame[] {
    const id = textOf(data['call']);
    const call = this.#calls.get(id) ?? { iteration: this.#iteration, ts, isStarted: false };
    this.#calls.set(id, call);
    const named = { iteration: call.iteration, tool_name: data['tool'] ?? '', tool_call_id: id };
    if (data['state'] === 'awaiting_approval') return this.#thought();
    if (data['state'] !== 'done') {
      if (call.isStarted) return [];
      this.#calls.set(id, { ...call, ts, isStarted: true });
      const input = { tool_args: data['input'] ?? {} };
      return [...this.#thought(), step({ type: 'iteration', status: 'start', ...named, ...input })];
    }
    const outcome = outcomeOf(data);
    const observation = outcome.ok ? toText(outcome.ret) : outcome.message;
    const error = outcome.ok ? null : outcome.message || outcome.code;
    const iter_elapsed = secondsBetween(call.ts, ts);
    const result = { observation, error, iter_elapsed };
    return [...this.#thought(), step({ type: 'iteration', status: 'done', ...named, ...result })];
  }

  #awaitConfirmation(data: JsonObject): readonly SseFrame[] {
    const { call, tool = '', input = {}, request, title = '' } = data;
    const named = { iteration: this.#iteration, tool_name: tool, tool_args: input };
    const asked = { tool_call_id: call, request, title };
    return [step({ type: 'iteration', status: 'awaiting_confirmation', ...named, ...asked })];
  }

  #inject(event: string): readonly SseFrame[] {
    const content = this.#events.get(event);
    return content === undefined ? [] : [frame('inject', { type: 'inject', content })];
  }

  #done(envelope: WireEnvelope, data: JsonObject): readonly SseFrame[] {
    this.isOver = true;
    const { prompt, completion, total, cached } = tokensOf(data);
    const tokens = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total };
    const { code, message } = data;
    const isFailed = envelope.type === 'chat.error';
    const done = {
      answer: isFailed ? textOf(message) : answerOf(data),
      iterations: this.#iteration,
      usage: { ...tokens, cached_tokens: cached },
      elapsed: secondsBetween(this.#opened, envelope.ts),
      reason: isFailed ? 'failed' : textOf(data['reason']),
      ...(isFailed && { error: { code, message } }),
    };
    const open = this.#isAnswering ? [frame('answer', { status: 'done' })] : [];
    this.#isAnswering = false;
    return [...this.#thought(), ...open, frame('done', done)];
  }
}

function frame(event: string, data: object): SseFrame {
  return { event, data: JSON.stringify(data) };
}

function step(data: object): SseFrame {
  return frame('step', data);
}

function delta(content: string): SseFrame {
  return frame('answer', { status: 'delta', content });
}

/** Turns and rounds that a memory replaces, and that one memory. */
function compact(data: JsonObject): SseFrame {
  const { compacted_turns: turns, compacted_rounds: rounds, before_tokens, after_tokens } = data;
  const original = numberOf(turns) + numberOf(rounds);
  const counts = { original_messages: original, kept_messages: 1 };
  return frame('compact', { ...counts, original_tokens: before_tokens, kept_tokens: after_tokens });
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
