import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { Projection, SseFrame } from '../projection.ts';
import { charactersOf, chatAnnotations } from './answer-citations.ts';
import { replacedAnswer, turnError } from './openai-error.ts';
import { secondsOf, TurnReader } from './read-turn.ts';
import type { Step, TokenCount } from './steps.ts';
import { chatUsage, noTokens, tokensSince } from './token-count.ts';
import { filesAndCalls } from './tool-progress.ts';

export type ChatOptions = {
  /** As the client named it. Undefined: from the turn. */
  readonly model?: string;
  /** Adds a chunk with the usage. */
  readonly usage?: boolean;
  /** The content is the structured output of the turn, as JSON. */
  readonly json?: boolean;
  /** The client has sent no request: it is shown where the turn is now, not where it once waited for a client. */
  readonly watches?: boolean;
};

type EndStep = Extract<Step, { kind: 'end' }>;
type TextStep = Extract<Step, { kind: 'text' | 'text_end' }>;
type ClientCallStep = Extract<Step, { kind: 'client_call' }>;
type Finish = { readonly finish: string; readonly tokens: TokenCount };

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
  /** Of those answers. */
  #characters = 0;
  /** The last answer was cut short, and another one replaces it. */
  #isCut = false;
  #calls = 0;
  #isOver = false;
  /** Set while the turn waits for the client, in a stream that goes on afterwards. */
  #waiting: { readonly tokens: TokenCount } | undefined;
  #base: JsonObject = {};
  /** The base as JSON without its closing brace, and the second and turn that it is of. */
  #head = '';
  #headOf = '';

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
    this.#learn(envelope);
    return this.#reader.take(envelope).flatMap((step) => this.#frames(step));
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  pause(): readonly SseFrame[] {
    if (!this.#waiting) return [];
    return this.#finish({ finish: 'tool_calls', tokens: this.#waiting.tokens });
  }

  /** A message has joined the turn in the middle of a completion. */
  begin(): readonly SseFrame[] {
    return this.#hasBegun ? [this.#opening()] : [];
  }

  #frames(step: Step): readonly SseFrame[] {
    const isFirst = !this.#hasBegun;
    this.#waiting = undefined;
    this.#isOver = step.kind === 'end' || (isParked(step) && this.#options.watches !== true);
    const frames = this.#framesOf(step);
    const isSilent = frames.length === 0 && step.kind !== 'begin';
    if (!isFirst || isSilent) return frames;
    this.#hasBegun = !this.#isOver;
    return [this.#opening(), ...frames];
  }

  #opening(): SseFrame {
    return this.#delta({ role: 'assistant', content: '' });
  }

  #framesOf(step: Step): readonly SseFrame[] {
    switch (step.kind) {
      case 'begin':
        return [];
      case 'text':
      case 'text_end':
        return this.#textFrames(step);
      case 'withdrawn':
        this.#isReplaced ||= step.part === 'answer';
        return [];
      case 'answer_end':
        this.#isCut = step.isCut;
        return [];
      case 'remark':
        return [this.#beside('timeline_text', { text: step.text })];
      case 'canvas':
        return [this.#beside('canvas', step.canvas)];
      case 'progress':
        return [this.#beside('agentic_tool_call_progress', { ...step.progress })];
      case 'file':
        return [this.#beside('file_produced', { file: { ...step.file } })];
      case 'approval':
        return [this.#beside('agentic_tool_approval_required', step.approval)];
      case 'client_call':
        return this.#callFrames(step);
      case 'end':
        return this.#endFrames(step);
    }
  }

  #textFrames(step: TextStep): readonly SseFrame[] {
    if (step.kind === 'text_end') {
      return step.part === 'answer' ? this.#endText(step.text) : [];
    }
    if (step.part === 'answer') this.#isReplaced ||= this.#isCut;
    // What cannot be taken back is not continued: the end brings the answer.
    if (this.#isReplaced || (this.#options.json === true && step.part === 'answer')) return [];
    if (step.part === 'reasoning') return [this.#delta({ reasoning_content: step.text })];
    const isAnother = this.#answers > 0;
    if (isAnother) this.#answers = 0;
    return [this.#delta({ content: isAnother ? separator + step.text : step.text })];
  }

  #endText(text: string): readonly SseFrame[] {
    this.#answers += 1;
    const citations = this.#reader.citationsIn(text, this.#characters);
    this.#characters += charactersOf(text) + separator.length;
    const isShown = !this.#isReplaced && this.#options.json !== true;
    return citations.length > 0 && isShown ? [this.#delta(chatAnnotations(citations))] : [];
  }

  #callFrames({ call, parked, tokens }: ClientCallStep): readonly SseFrame[] {
    const { id, ...named } = call;
    const toolCall = { index: this.#calls, id, type: 'function', function: named };
    this.#calls += 1;
    const frame = this.#delta({ tool_calls: [toolCall] });
    if (!parked) return [frame];
    if (!this.#isOver) {
      this.#waiting = { tokens };
      return [frame];
    }
    return [frame, ...this.#finish({ finish: 'tool_calls', tokens })];
  }

  #endFrames({ reason, text, failure, tokens, output }: EndStep): readonly SseFrame[] {
    const isJson = this.#options.json === true;
    const isReplaced = this.#isReplaced && !isJson;
    const error = failure ? turnError(failure) : isReplaced && replacedAnswer(text);
    if (!error) {
      const content = isJson ? [this.#delta({ content: JSON.stringify(output ?? null) })] : [];
      return [...content, ...this.#finish({ finish: finishOf(reason), tokens })];
    }
    const used = chatUsage(tokensSince(this.#seen, tokens));
    const usage = this.#options.usage ? { usage: used } : {};
    this.#reset(tokens);
    const more = { ...filesAndCalls(this.#reader), ...usage };
    return [toFrame({ ...this.#base, choices: [], error, ...more })];
  }

  #finish({ finish, tokens }: Finish): readonly SseFrame[] {
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: finish };
    const more = filesAndCalls(this.#reader);
    const usage = chatUsage(tokensSince(this.#seen, tokens));
    this.#reset(tokens);
    const last = toFrame({ ...this.#base, choices: [choice], ...more });
    return this.#options.usage ? [last, toFrame({ ...this.#base, choices: [], usage })] : [last];
  }

  #delta(content: JsonObject): SseFrame {
    const delta = JSON.stringify(content);
    const choice = `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}`;
    return { data: `${this.#head},"choices":[${choice}]}` };
  }

  /** A frame beside the choices, named as mistral.rs names it. */
  #beside(type: string, fields: JsonObject): SseFrame {
    return { event: type, ...toFrame({ ...this.#base, choices: [], type, ...fields }) };
  }

  #reset(tokens: TokenCount): void {
    this.#seen = tokens;
    this.#hasBegun = false;
    this.#isReplaced = false;
    this.#answers = 0;
    this.#characters = 0;
    this.#isCut = false;
    this.#calls = 0;
  }

  /** Most chunks differ only in their delta. */
  #learn({ turn_id, conversation_id, ts }: WireEnvelope): void {
    const of = `${turn_id} ${ts.slice(0, secondChars)} ${this.#model}`;
    if (of === this.#headOf) return;
    this.#base = {
      id: `chatcmpl-${turn_id}`,
      object: 'chat.completion.chunk',
      created: secondsOf(ts),
      model: this.#model,
      session_id: conversation_id,
    };
    this.#head = JSON.stringify(this.#base).slice(0, -1);
    this.#headOf = of;
  }
}

/** Of an ISO time, up to its seconds. */
const secondChars = 19;

/** Between two answers of one completion. */
const separator = '\n\n';

export function finishOf(reason: string): string {
  if (reason === 'handed_off') return 'tool_calls';
  return reason === 'exhausted' ? 'length' : 'stop';
}

function isParked(step: Step): boolean {
  return step.kind === 'client_call' && step.parked;
}

function toFrame(data: JsonObject): SseFrame {
  return { data: JSON.stringify(data) };
}
