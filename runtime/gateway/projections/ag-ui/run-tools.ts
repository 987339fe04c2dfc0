import type { JsonObject } from '../../../base/json.ts';
import { textOf, withoutUndefined } from '../../feed/wire-json.ts';
import { outcomeOf, toolNameOf, toText } from '../turn-facts.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import type { RunMessages } from './run-messages.ts';

type Approval = { readonly call: string; readonly data: JsonObject };

/** Calls of one turn as events of AG-UI, and what they wait for. */
export class RunTools {
  readonly #messages: RunMessages;
  /** Calls whose result the client has brought itself. */
  readonly #answered: ReadonlySet<string>;
  readonly #announced = new Set<string>();
  readonly #ofClient = new Set<string>();
  readonly #approvals = new Map<string, Approval>();
  readonly #pending = new Set<string>();
  readonly #subagents = new Set<string>();

  constructor(messages: RunMessages, answered: ReadonlySet<string>) {
    this.#messages = messages;
    this.#answered = answered;
  }

  get isWaiting(): boolean {
    return this.#approvals.size > 0 || this.#pending.size > 0;
  }

  /** How a run ends while the turn waits: interrupted by approvals, or done until the client has run its tools. */
  outcome(): JsonObject {
    const interrupts = [...this.#approvals.values()].map(toInterrupt);
    if (interrupts.length > 0) return { type: 'interrupt', interrupts };
    const pendingToolCallIds = [...this.#pending];
    return { type: 'success', ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) };
  }

  /** Agents that work on a call end with the run that shows them. */
  suspend(): readonly AgUiEvent[] {
    const open = [...this.#subagents];
    this.#subagents.clear();
    return open.map((subagentRunId) => ({
      type: 'SUBAGENT_FINISHED',
      subagentRunId,
      outcome: { type: 'suspended' },
    }));
  }

  take(type: string, data: JsonObject, parent: string): readonly AgUiEvent[] {
    const call = textOf(data['call']);
    switch (type) {
      case 'chat.approval':
        this.#approvals.set(textOf(data['request']), { call, data });
        return this.#announce(call, data, parent);
      case 'approval.closed':
        this.#approvals.delete(textOf(data['request']));
        return [{ type: 'CUSTOM', name: type, value: data }];
      case 'external.call':
        this.#pending.add(call);
        return [];
      case 'agent.call':
        return this.#delegated(call, data);
      case 'agent.result':
        return this.#endSubagent(runOf(call, data), data);
      default:
        return this.#tool(call, data, parent);
    }
  }

  /** Calls that the turn hands to its client as it ends. */
  handOff(calls: readonly JsonObject[]): void {
    for (const { call } of calls) this.#pending.add(textOf(call));
  }

  #tool(call: string, data: JsonObject, parent: string): readonly AgUiEvent[] {
    if (data['state'] === 'external') this.#ofClient.add(call);
    const announced = this.#announce(call, data, parent);
    return data['state'] === 'done' ? [...announced, ...this.#finished(call, data)] : announced;
  }

  #announce(toolCallId: string, data: JsonObject, parentMessageId: string): readonly AgUiEvent[] {
    if (this.#announced.has(toolCallId)) return [];
    this.#announced.add(toolCallId);
    const { tool, input = {} } = data;
    const toolCallName = toolNameOf(textOf(tool));
    const delta = JSON.stringify(input);
    const call = { id: toolCallId, name: toolCallName, arguments: delta };
    this.#messages.call(parentMessageId, call);
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #finished(toolCallId: string, data: JsonObject): readonly AgUiEvent[] {
    this.#pending.delete(toolCallId);
    const ended = this.#endSubagent(toolCallId, data);
    if (this.#ofClient.has(toolCallId) && this.#answered.has(toolCallId)) return ended;
    const outcome = outcomeOf(data);
    const content = outcome.ok ? toText(outcome.ret) : outcome.message || outcome.code;
    const error = outcome.ok ? undefined : outcome.code;
    const messageId = `${toolCallId}.result`;
    this.#messages.result({
      ...{ id: messageId, role: 'tool', toolCallId, content },
      ...(error !== undefined && { error: content }),
    });
    const metadata = error === undefined ? {} : { metadata: { error } };
    const result = { type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content };
    return [...ended, { ...result, ...metadata }];
  }

  #delegated(call: string, data: JsonObject): readonly AgUiEvent[] {
    const { agent, conversation, step } = data;
    const subagentRunId = runOf(call, data);
    this.#subagents.add(subagentRunId);
    const started = { type: 'SUBAGENT_STARTED', subagentRunId, parentToolCallId: call };
    const metadata = withoutUndefined({ conversation, step });
    return [{ ...started, name: textOf(agent), metadata }];
  }

  #endSubagent(call: string, data: JsonObject): readonly AgUiEvent[] {
    if (!this.#subagents.delete(call)) return [];
    const outcome = outcomeOf(data);
    if (outcome.ok)
      return [{ type: 'SUBAGENT_FINISHED', subagentRunId: call, outcome: { type: 'success' } }];
    const { code, message } = outcome;
    return [{ type: 'SUBAGENT_ERROR', subagentRunId: call, message: message || code, code }];
  }
}

/** One run for a call, or for each step of its plan. */
function runOf(call: string, { step }: JsonObject): string {
  return step === undefined ? call : `${call}.${textOf(step)}`;
}

function toInterrupt({ call, data }: Approval): JsonObject {
  const { request, title, deadline, kind, detail, remember, input } = data;
  const payload = { type: 'object', properties: { approved: { type: 'boolean' } } };
  return withoutUndefined({
    ...{ id: request, reason: 'approval', message: title, toolCallId: call },
    ...{ expiresAt: deadline, responseSchema: { ...payload, required: ['approved'] } },
    metadata: withoutUndefined({ kind, detail, remember, input }),
  });
}
