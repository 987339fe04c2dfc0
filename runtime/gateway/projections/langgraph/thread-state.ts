import type { Json, JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import { answerOf, outcomeOf, toText } from '../turn-facts.ts';

/** A message as LangGraph stores it. */
export type Message = JsonObject & { readonly id: string; readonly type: 'human' | 'ai' | 'tool' };

/** What a person or a program must decide before the turn goes on. */
export type Interrupt = { readonly id: string; readonly value: JsonObject };

/** Messages that one step of the graph has written. */
export type StateUpdate = {
  readonly node: 'input' | 'agent' | 'tools';
  readonly messages: readonly Message[];
};

/** Turns as the state of a thread. Later messages with the same id replace earlier ones. */
export class ThreadState {
  readonly #messages = new Map<string, Message>();
  readonly #files = new Map<string, JsonObject>();
  readonly #interrupts = new Map<string, Interrupt>();
  /** The call that an interrupt is about. */
  readonly #waiting = new Map<string, string>();

  /** Begins with these messages and files. */
  static from(values: JsonObject): ThreadState {
    const state = new ThreadState();
    const { messages, files } = values;
    for (const each of Array.isArray(messages) ? messages.map(objectOf) : []) {
      state.#messages.set(textOf(each['id']), each as Message);
    }
    for (const file of Array.isArray(files) ? files.map(objectOf) : []) {
      state.#files.set(textOf(file['path']), file);
    }
    return state;
  }

  get interrupts(): readonly Interrupt[] {
    return [...this.#interrupts.values()];
  }

  get values(): JsonObject {
    const files = [...this.#files.values()];
    return {
      messages: [...this.#messages.values()],
      ...(files.length > 0 ? { files } : {}),
    };
  }

  take(envelope: WireEnvelope): StateUpdate | undefined {
    const { type, data = {}, turn_id: turn } = envelope;
    switch (type) {
      case 'event.accepted':
        return this.#said(data);
      case 'event.recalled':
        this.#messages.delete(textOf(data['event_id']));
        return undefined;
      case 'chat.tool':
        return this.#tool(data, `${turn}.r${envelope.round ?? 0}`);
      case 'chat.approval':
        return this.#wait(textOf(data['request']), approvalOf(data), textOf(data['call']));
      case 'external.call':
        return this.#wait(textOf(data['call']), externalOf(data), textOf(data['call']));
      case 'approval.closed':
        this.#interrupts.delete(textOf(data['request']));
        return undefined;
      case 'chat.files':
        for (const file of itemsOf(data)) this.#files.set(textOf(file['path']), file);
        return undefined;
      case 'chat.completion':
        return this.#answered(data);
      case 'chat.complete':
        this.#interrupts.clear();
        return this.#completed(data, turn);
      case 'chat.error':
        this.#interrupts.clear();
        return undefined;
      default:
        return undefined;
    }
  }

  #said(data: JsonObject): StateUpdate | undefined {
    const content = textOf(data['text']);
    // A stop has no text. Kinds with a dot answer what the turn waits for.
    const kind = textOf(data['kind']);
    if (content === '' || kind.includes('.')) return undefined;
    const id = textOf(data['message_id']);
    return this.#write('input', { id, type: 'human', content });
  }

  #tool(data: JsonObject, round: string): StateUpdate | undefined {
    const call = textOf(data['call']);
    const asked = this.#asked(data, { call, id: `${round}.calls` });
    if (data['state'] !== 'done') return asked;
    for (const [id, waits] of this.#waiting) if (waits === call) this.#interrupts.delete(id);
    const outcome = outcomeOf(data);
    const content = outcome.ok ? toText(outcome.ret) : `${outcome.code}: ${outcome.message}`;
    const answer = this.#write('tools', {
      ...{ id: `${call}.result`, type: 'tool', content, name: data['tool'] ?? '' },
      ...{ tool_call_id: call, status: outcome.ok ? 'success' : 'error' },
    });
    return answer;
  }

  /** The calls of a round are one message. */
  #asked(data: JsonObject, { call, id }: { call: string; id: string }): StateUpdate | undefined {
    const known = this.#messages.get(id);
    const calls = listOf(known?.['tool_calls']);
    if (calls.some((each) => objectOf(each)['id'] === call)) return undefined;
    const name = data['tool'] ?? '';
    const made: Json = { id: call, name, args: objectOf(data['input']), type: 'tool_call' };
    return this.#write('agent', { id, type: 'ai', content: '', tool_calls: [...calls, made] });
  }

  #wait(id: string, value: JsonObject, call: string): undefined {
    this.#interrupts.set(id, { id, value });
    this.#waiting.set(id, call);
  }

  #answered(data: JsonObject): StateUpdate | undefined {
    const id = textOf(data['stream']) || textOf(data['path']);
    return this.#write('agent', { id, type: 'ai', content: textOf(data['text']) });
  }

  /** The end of a turn has its answer as well, for streams that began after it. */
  #completed(data: JsonObject, turn: string): StateUpdate | undefined {
    const content = answerOf(data);
    const isKnown = [...this.#messages.values()].some(
      (each) => each.type === 'ai' && each['content'] === content,
    );
    if (isKnown || content === '') return undefined;
    return this.#write('agent', { id: `${turn}.answer`, type: 'ai', content });
  }

  #write(node: StateUpdate['node'], message: Message): StateUpdate {
    this.#messages.set(message.id, message);
    return { node, messages: [message] };
  }
}

/** With the words of LangChain's approval interface beside ours. */
function approvalOf(data: JsonObject): JsonObject {
  const { tool = '', input = {}, title = '', detail } = data;
  const description = detail === undefined ? title : `${textOf(title)}\n\n${textOf(detail)}`;
  return {
    type: 'approval',
    ...data,
    action_requests: [{ name: tool, args: input, description }],
    review_configs: [{ action_name: tool, allowed_decisions: ['approve', 'edit', 'reject'] }],
  };
}

function externalOf(data: JsonObject): JsonObject {
  return { type: 'external_call', ...data };
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function itemsOf({ items }: JsonObject): readonly JsonObject[] {
  return Array.isArray(items) ? items.map(objectOf) : [];
}
