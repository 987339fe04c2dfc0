import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isJsonObject } from '../../../../base/json.ts';
import type {
  CallPart,
  CarryPart,
  ModelOffer,
  ModelRequest,
  PromptMessage,
  PromptPart,
  ResultPart,
} from '../../../../engine/ports/model.ts';
import { alternating, type MessagePart } from '../messages.ts';
import { type CarriedCall, inputDigest, readCarry } from './metadata.ts';

/** The name under which reasoning of this provider comes back: opaque, and only for itself. */
type Origin = { readonly provider: string };

export function toCallOptions(
  request: ModelRequest,
  origin: Origin,
): Omit<LanguageModelV4CallOptions, 'abortSignal' | 'headers'> {
  const { system, maxOutputTokens, temperature, offer, format } = request;
  const messages = alternating(request);
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...toPrompt(messages, origin),
    ],
    maxOutputTokens,
    temperature,
    ...(format === 'json' ? { responseFormat: { type: 'json' as const } } : {}),
    ...toolsOf(offer),
  };
}

function toPrompt(messages: readonly PromptMessage[], origin: Origin): LanguageModelV4Prompt {
  const names = new Map(
    messages
      .flatMap<MessagePart>(({ parts }) => parts)
      .flatMap((part) => (part.kind === 'call' ? [[part.call, part.name] as const] : [])),
  );
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? [{ role: 'assistant' as const, content: toReply(message.parts, origin) }]
      : toUserMessages(message.parts, names),
  );
}

/** Results are a message of their own, directly after the reply with their calls. */
function toUserMessages(
  parts: readonly (PromptPart | ResultPart)[],
  names: ReadonlyMap<string, string>,
): readonly LanguageModelV4Message[] {
  const results = parts.filter((part) => part.kind === 'result');
  const content = parts.flatMap((part) => (part.kind === 'result' ? [] : [toContent(part)]));
  const tool = results.map(({ call, ok, text }) => ({
    type: 'tool-result' as const,
    toolCallId: call,
    toolName: names.get(call) ?? call,
    output: { type: ok ? ('text' as const) : ('error-text' as const), value: text },
  }));
  return [
    ...(tool.length > 0 ? [{ role: 'tool' as const, content: tool }] : []),
    ...(content.length > 0 || tool.length === 0 ? [{ role: 'user' as const, content }] : []),
  ];
}

function toContent({ kind, text, mime = 'application/octet-stream' }: PromptPart) {
  return kind === 'text'
    ? { type: 'text' as const, text }
    : {
        type: 'file' as const,
        mediaType: mime,
        data: { type: 'data' as const, data: text },
        ...(kind === 'document' ? { filename: 'document.pdf' } : {}),
      };
}

type Reply = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

function toReply(
  parts: Extract<PromptMessage, { role: 'assistant' }>['parts'],
  origin: Origin,
): Reply {
  const carried = new CarriedParts(origin);
  const reply: Reply = [];
  for (const part of parts) {
    if (part.kind === 'call') reply.push(toCall(part, carried.nextCall(part)));
    else if (part.kind === 'carry') reply.push(...carried.take(part));
    else reply.push(toText(part));
  }
  return reply;
}

/** What the provider attached to a call of a reply goes back with that call, also if calls before it were not accepted. */
class CarriedParts {
  readonly #origin: Origin;
  #attached: CarriedCall[] = [];
  #calls = 0;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  nextCall(call: CallPart): SharedV4ProviderOptions | undefined {
    const place = this.#calls;
    this.#calls += 1;
    const input = inputDigest(call.input);
    const named = this.#attached.filter(({ name = '' }) => isNamed(call.name, name));
    const found =
      named.find((each) => each.input === input) ??
      named[0] ??
      this.#attached.find(({ name, index }) => name === undefined && index === place);
    this.#attached = this.#attached.filter((each) => each !== found);
    return found?.options;
  }

  take({ provider, item }: CarryPart): Reply {
    if (this.#calls > 0) this.#beginReply();
    const carried = provider === this.#origin.provider ? readCarry(item) : undefined;
    if (carried?.kind === 'call') this.#attached.push(carried);
    if (carried?.kind !== 'reasoning') return [];
    return [{ type: 'reasoning', text: carried.text, providerOptions: carried.options }];
  }

  /** Reasoning precedes the calls of its reply, so a further one belongs to another reply. */
  #beginReply(): void {
    this.#attached = [];
    this.#calls = 0;
  }
}

/** Models also write a name without its alias. */
function isNamed(name: string, written: string): boolean {
  return written !== '' && (name === written || name.endsWith(`__${written}`));
}

function toText({ kind, text, mime }: PromptPart): LanguageModelV4TextPart {
  return { type: 'text', text: kind === 'text' ? text : `(${mime}: not sent to this model)` };
}

function toCall({ call, name, input }: CallPart, options: SharedV4ProviderOptions | undefined) {
  return {
    type: 'tool-call' as const,
    toolCallId: call,
    toolName: name,
    input: isJsonObject(input) ? { ...input } : {},
    ...(options ? { providerOptions: options } : {}),
  };
}

type Tools = Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>;

function toolsOf(offer: ModelOffer | undefined): Tools {
  if (!offer || offer.tools.length === 0) return {};
  const tools = offer.tools.map(
    ({ name, description, schema }): LanguageModelV4FunctionTool => ({
      ...{ type: 'function', name, description },
      inputSchema: { ...schema },
    }),
  );
  return { tools, toolChoice: toChoice(offer.choice) };
}

function toChoice(choice: ModelOffer['choice']): LanguageModelV4ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}
