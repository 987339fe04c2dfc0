import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Json } from '../../../base/json.ts';
import type {
  ExternalCall,
  ExternalEvent,
  ResultPart,
} from '../../../engine/ports/external-agent.ts';
import { addTerminal, type TerminalPart, toInput, toJson, toParts } from './to-parts.ts';

type CallUpdate = ToolCallUpdate | Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>;
type CallState = {
  readonly call: ExternalCall;
  readonly parts: readonly ResultPart[];
  readonly terminal: TerminalPart | undefined;
  readonly output: Json | undefined;
};

/** The calls of a session: each update names only what has changed. */
export class KnownCalls {
  readonly #calls = new Map<string, CallState>();

  /** The call after an update, with everything that is known of it. */
  update(update: CallUpdate): CallState {
    const { toolCallId: id, title, kind, rawInput, rawOutput, content, _meta } = update;
    const before = this.#calls.get(id);
    const input = rawInput === undefined || rawInput === null ? undefined : toInput(rawInput);
    const state: CallState = {
      call: {
        id,
        title: title ?? before?.call.title ?? id,
        kind: kind ?? before?.call.kind ?? 'other',
        input: input ?? before?.call.input ?? {},
      },
      parts: content ? toParts(content) : (before?.parts ?? []),
      terminal: addTerminal(before?.terminal, _meta),
      output: toJson(rawOutput) ?? before?.output,
    };
    this.#calls.set(id, state);
    return state;
  }

  /** The event of an update: a call, or its result once it has ended. */
  toEvent(update: CallUpdate): ExternalEvent {
    const { call, parts, terminal, output } = this.update(update);
    const { status } = update;
    if (status !== 'completed' && status !== 'failed')
      return { kind: 'call', call, isStarted: status === 'in_progress' };
    this.#calls.delete(call.id);
    return {
      kind: 'result',
      call,
      ok: status === 'completed',
      parts: terminal ? [...parts, terminal] : parts,
      ...(output === undefined ? {} : { output }),
    };
  }
}
