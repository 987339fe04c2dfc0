import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';

/**
 * The messages that a client has: those that it sent with its run, and what the run adds. A snapshot of all of them
 * takes back what was shown in vain.
 */
export class RunMessages {
  readonly #messages: Map<string, AgUiMessage>;

  constructor(sent: readonly AgUiMessage[]) {
    this.#messages = new Map(sent.map((message) => [message.id, message]));
  }

  append(id: string, role: 'assistant' | 'reasoning', text: string): void {
    const known = this.#messages.get(id);
    if (known === undefined) this.#messages.set(id, { id, role, content: text });
    else known.content = `${String(known.content ?? '')}${text}`;
  }

  remove(id: string): void {
    this.#messages.delete(id);
  }

  call(parent: string, call: { id: string; name: string; arguments: string }): void {
    const { id, name, arguments: args } = call;
    const known = this.#messages.get(parent)?.['toolCalls'];
    const toolCalls: readonly unknown[] = Array.isArray(known) ? known : [];
    const added = { id, type: 'function', function: { name, arguments: args } };
    this.#messages.set(parent, { id: parent, role: 'assistant', toolCalls: [...toolCalls, added] });
  }

  result(message: AgUiMessage): void {
    this.#messages.set(message.id, message);
  }

  /** The event that makes these the messages of the client. */
  snapshot(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: [...this.#messages.values()] };
  }
}
