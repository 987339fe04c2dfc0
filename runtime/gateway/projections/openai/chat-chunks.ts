import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { Projection, SseFrame } from '../projection.ts';
import { replacedAnswer, turnError } from './openai-error.ts';
import { secondsOf, TurnReader } from './read-turn.ts';
import type { Step, TokenCount } from './steps.ts';
import { chatUsage, noTokens, tokensSince } from './token-count.ts';

export type ChatOptions = {
  /** As the client named it. Undefined: from the turn. */
  readonly model?: string;
  /** Adds a chunk with the usage. */
  readonly usage?: boolean;
};

type EndStep = Extract<Step, { kind: 'end' }>;
type TextStep = Extract<Step, { kind: 'text' | 'text_end' }>;
type Place = { readonly envelope: WireEnvelope };

/**
 * A turn as chunks of Chat Completions. A turn that waits for a client ends its completion with `tool_calls`, and what
 * follows the results is another completion, whose usage begins there. Every frame has `choices`. What Chat
 * Completions cannot express is in frames without choices, in mistral.rs's words.
 */
export class ChatChunks implements Projection {
  readonly #options: ChatOptions;
  readonly #reader = new TurnReader();
  #model: string;
  /** Tokens of earlier responses of this turn. */
  #seen = noTokens;
  #hasBegun = false;
  #isReplaced = false;
  /** Answers that ended in this completion. */
  #answers = 0;
  #calls = 0;
  #isOver = false;

  constructor(options: ChatOptions = {}) {
    this.#options = options;
    this.#model = options.model ?? '';
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const { bundle_id, agent_id } = envelope.data ?? {};
    if (envelope.type === 'chat.start' && this.#model === '') {
      this.#model = `${textOf(bundle_id)}/${textOf(agent_id)}`;
    }
    const steps = this.#reader.take(envelope);
    return steps.flatMap((step) => this.#frames(step, envelope));
  }

  #frames(step: Step, envelope: WireEnvelope): readonly SseFrame[] {
    const isFirst = !this.#hasBegun;
    this.#isOver = step.kind === 'end' || isParked(step);
    const frames = this.#framesOf(step, { envelope });
    const isSilent = frames.length === 0 && step.kind !== 'begin';
    if (!isFirst || isSilent) return frames;
    this.#hasBegun = !this.#isOver;
    return [delta(this.#base(envelope), { role: 'assistant', content: '' }), ...frames];
  }

  #framesOf(step: Step, { envelope }: Place): readonly SseFrame[] {
    const base = this.#base(envelope);
    switch (step.kind) {
      case 'begin':
        return [];
      case 'text':
      case 'text_end':
        return this.#textFrames(step, base);
      case 'withdrawn':
        this.#isReplaced ||= step.part === 'answer';
        return [];
      case 'remark':
        return [beside(base, 'timeline_text', { text: step.text })];
      case 'canvas':
        return [beside(base, 'canvas', step.canvas)];
      case 'progress':
        return [beside(base, 'agentic_tool_call_progress', { ...step.progress })];
      case 'file':
        return [beside(base, 'file_produced', { file: { ...step.file } })];
      case 'approval':
        return [beside(base, 'agentic_tool_approval_required', step.approval)];
      case 'client_call':
        return this.#callFrames(step, base);
      case 'end':
        return this.#endFrames(step, base);
    }
  }

  #textFrames(step: TextStep, base: JsonObject): readonly SseFrame[] {
    if (step.kind === 'text_end') {
      if (step.part === 'answer') this.#answers += 1;
      return [];
    }
    // What cannot be taken back is not continued: the end brings the answer.
    if (this.#isReplaced) return [];
    if (step.part === 'reasoning') return [delta(base, { reasoning_content: step.text })];
    const isAnother = this.#answers > 0;
    if (isAnother) this.#answers = 0;
    return [delta(base, { content: isAnother ? `\n\n${step.text}` : step.text })];
  }

  #callFrames(
    { call: { id, ...named }, parked, tokens }: Extract<Step, { kind: 'client_call' }>,
    base: JsonObject,
  ): readonly SseFrame[] {
    const call = { index: this.#calls, id, type: 'function', function: named };
    this.#calls += 1;
    const frame = delta(base, { tool_calls: [call] });
    return parked ? [frame, ...this.#finish(base, { finish: 'tool_calls', tokens })] : [frame];
  }

  #endFrames({ reason, text, failure, tokens }: EndStep, base: JsonObject): readonly SseFrame[] {
    const error = failure ? turnError(failure) : this.#isReplaced && replacedAnswer(text);
    if (error) {
      this.#reset(tokens);
      return [frame({ ...base, choices: [], error })];
    }
    return this.#finish(base, { finish: finishOf(reason), tokens });
  }

  #finish(
    base: JsonObject,
    { finish, tokens }: { readonly finish: string; readonly tokens: TokenCount },
  ): readonly SseFrame[] {
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: finish };
    const { files, records } = this.#reader;
    const more = {
      ...(files.length > 0 ? { files: files.map((file) => ({ ...file })) } : {}),
      ...(records.length > 0 ? { agentic_tool_calls: records.map((each) => ({ ...each })) } : {}),
    };
    const usage = chatUsage(tokensSince(this.#seen, tokens));
    this.#reset(tokens);
    return [
      frame({ ...base, choices: [choice], ...more }),
      ...(this.#options.usage ? [frame({ ...base, choices: [], usage })] : []),
    ];
  }

  #reset(tokens: TokenCount): void {
    this.#seen = tokens;
    this.#hasBegun = false;
    this.#isReplaced = false;
    this.#answers = 0;
    this.#calls = 0;
  }

  #base({ turn_id, conversation_id, ts }: WireEnvelope): JsonObject {
    return {
      id: `chatcmpl-${turn_id}`,
      object: 'chat.completion.chunk',
      created: secondsOf(ts),
      model: this.#model,
      session_id: conversation_id,
    };
  }
}

export function finishOf(reason: string): string {
  if (reason === 'handed_off') return 'tool_calls';
  return reason === 'exhausted' ? 'length' : 'stop';
}

function isParked(step: Step): boolean {
  return step.kind === 'client_call' && step.parked;
}

function delta(base: JsonObject, content: JsonObject): SseFrame {
  const choice = { index: 0, delta: content, logprobs: null, finish_reason: null };
  return frame({ ...base, choices: [choice] });
}

/** A frame beside the choices, named as mistral.rs names it. */
function beside(base: JsonObject, type: string, fields: JsonObject): SseFrame {
  return { event: type, ...frame({ ...base, choices: [], type, ...fields }) };
}

function frame(data: JsonObject): SseFrame {
  return { data: JSON.stringify(data) };
}
