import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import { answerOf } from '../turn-facts.ts';

export type TaskPhase =
  | 'submitted'
  | 'working'
  | 'input_required'
  | 'completed'
  | 'canceled'
  | 'failed';

/** A part of a message or an artifact, in no version of the protocol. */
export type TaskPart =
  | { readonly text: string }
  | { readonly data: JsonObject }
  | { readonly file: { readonly path: string; readonly name: string; readonly mime: string } };

export type TaskMessage = {
  readonly id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly TaskPart[];
};

export type TaskArtifact = {
  readonly id: string;
  readonly name: string;
  readonly parts: readonly TaskPart[];
};

export type TaskStatus = {
  readonly phase: TaskPhase;
  readonly message?: TaskMessage;
  readonly at: string;
};

/** What a person or a program must send before the task goes on. */
export type TaskQuestion = { readonly id: string; readonly value: JsonObject };

/** The artifact of the answer. */
export const answerArtifact = 'answer';

/** A turn as a task: its messages, its status, its answer and files as artifacts. */
export class TaskState {
  readonly #history = new Map<string, TaskMessage>();
  readonly #artifacts = new Map<string, TaskArtifact>();
  readonly #questions = new Map<string, TaskQuestion & { readonly call: string }>();
  #status: TaskStatus = { phase: 'submitted', at: '' };

  get history(): readonly TaskMessage[] {
    return [...this.#history.values()];
  }

  get artifacts(): readonly TaskArtifact[] {
    return [...this.#artifacts.values()];
  }

  get questions(): readonly TaskQuestion[] {
    return [...this.#questions.values()];
  }

  get status(): TaskStatus {
    const [question] = this.questions;
    if (!question || this.#isOver) return this.#status;
    const parts = [{ text: textOf(question.value['title']) }, { data: question.value }];
    const message: TaskMessage = { id: question.id, role: 'agent', parts };
    return { phase: 'input_required', message, at: this.#status.at };
  }

  get #isOver(): boolean {
    return ['completed', 'canceled', 'failed'].includes(this.#status.phase);
  }

  take(envelope: WireEnvelope): void {
    const { type, data = {}, ts: at } = envelope;
    switch (type) {
      case 'chat.start':
        this.#status = { phase: 'submitted', at };
        return;
      case 'event.accepted':
        this.#said(data);
        return;
      case 'round.open':
        this.#status = { phase: 'working', at };
        return;
      case 'chat.approval':
        this.#ask(textOf(data['request']), { type: 'approval', ...data });
        return;
      case 'external.call': {
        const title = `Perform ${textOf(data['tool'])} and send its result.`;
        this.#ask(textOf(data['call']), { type: 'external_call', title, ...data });
        return;
      }
      case 'approval.closed':
        this.#questions.delete(textOf(data['request']));
        return;
      case 'chat.tool':
        this.#settle(data);
        return;
      case 'chat.files':
        for (const file of itemsOf(data)) this.#artifacts.set(textOf(file['path']), toFile(file));
        return;
      case 'chat.complete':
      case 'chat.error':
        this.#end(type, data, at);
        return;
      default:
    }
  }

  #said(data: JsonObject): void {
    const text = textOf(data['text']);
    // A stop has no text. Kinds with a dot answer what the turn waits for.
    if (text === '' || textOf(data['kind']).includes('.')) return;
    const id = textOf(data['message_id']);
    this.#history.set(id, { id, role: 'user', parts: [{ text }] });
  }

  #ask(id: string, value: JsonObject): void {
    this.#questions.set(id, { id, value, call: textOf(value['call']) });
  }

  #settle(data: JsonObject): void {
    if (data['state'] !== 'done') return;
    for (const { id, call } of this.#questions.values()) {
      if (call === data['call']) this.#questions.delete(id);
    }
  }

  #end(type: string, data: JsonObject, at: string): void {
    this.#questions.clear();
    if (type === 'chat.error') {
      const parts = [{ text: textOf(data['message']) }, { data: { code: data['code'] ?? '' } }];
      this.#status = { phase: 'failed', message: { id: 'error', role: 'agent', parts }, at };
      return;
    }
    const isStopped = data['reason'] === 'interrupted';
    this.#status = { phase: isStopped ? 'canceled' : 'completed', at };
    const text = answerOf(data);
    const { output } = data;
    const parts: TaskPart[] = [
      { text },
      ...(output === undefined ? [] : [{ data: objectOf(output) }]),
    ];
    if (text === '') return;
    this.#artifacts.set(answerArtifact, { id: answerArtifact, name: answerArtifact, parts });
  }
}

export function toFile(file: JsonObject): TaskArtifact {
  const path = textOf(file['path']);
  const [name, mime] = [textOf(file['filename']), textOf(file['mime'])];
  return { id: path, name, parts: [{ file: { path, name, mime } }] };
}

export function itemsOf({ items }: JsonObject): readonly JsonObject[] {
  return Array.isArray(items) ? items.map(objectOf) : [];
}
