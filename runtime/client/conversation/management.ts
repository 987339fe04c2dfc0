import type { Conversation, Recalled, TurnFeedback } from '../api/types.ts';
import type { Reaction } from '../api/values.ts';
import { mintId } from '../protocol/mint-id.ts';
import { toRefusal } from '../protocol/to-refusal.ts';
import type { ClientContext } from '../transport/client-context.ts';
import { fetchJson } from '../transport/http.ts';

type MessageText = { readonly text: string } | null;
type TurnsWithFeedback = {
  readonly turns: readonly {
    readonly turn_id: string;
    readonly user: MessageText;
    readonly assistant: MessageText;
    readonly feedbacks: readonly {
      readonly ts: string;
      readonly origin: 'user' | 'machine';
      readonly reaction: Reaction;
      readonly text: string;
    }[];
  }[];
};

/** Requests about one conversation as a whole. */
export class Management {
  readonly #context: ClientContext;
  readonly #id: string;
  readonly #http: ClientContext['http'];
  readonly #path: string;

  constructor(context: ClientContext, id: string) {
    const { http, scope } = context;
    this.#context = context;
    this.#id = id;
    this.#http = http;
    this.#path = `/conversations/${scope}/${encodeURIComponent(id)}`;
  }

  async feedback(
    turn: string,
    { reaction, text }: Parameters<Conversation['feedback']>[1],
  ): Promise<void> {
    const body = JSON.stringify({ reaction, text, message_id: mintId('msg') });
    const path = `${this.#path}/turns/${encodeURIComponent(turn)}/feedback`;
    await this.#http(path, { method: 'POST', body });
  }

  async feedbacks(): Promise<readonly TurnFeedback[]> {
    const path = `${this.#path}/turns-with-feedbacks`;
    const listed = await fetchJson<TurnsWithFeedback>(this.#http, path, {
      method: 'POST',
      body: '{}',
    });
    return listed.turns.flatMap(({ turn_id, user, assistant, feedbacks }) =>
      feedbacks.map(({ ts, origin, reaction, text }) => ({
        ...{ turn: turn_id, at: ts, origin, reaction, text },
        ...(user && { prompt: user.text }),
        ...(assistant && { answer: assistant.text }),
      })),
    );
  }

  async recall(event_id: string): Promise<Recalled> {
    const { connection, timeoutMs } = this.#context;
    const body = { conversation_id: this.#id, event_id };
    const ack = await connection.request('chat_recall', body, { timeoutMs });
    if (!ack.ok) throw toRefusal(ack.error);
    return ack.status;
  }

  async rename(title: string): Promise<void> {
    await this.#http(this.#path, { method: 'PATCH', body: JSON.stringify({ title }) });
  }

  async pin(pinned: boolean): Promise<void> {
    await this.#http(this.#path, { method: 'PATCH', body: JSON.stringify({ pinned }) });
  }

  /** The id of the new conversation. */
  async fork(at: number | undefined): Promise<string> {
    const body = JSON.stringify({ at });
    const path = `${this.#path}/fork`;
    type Forked = { readonly conversation_id: string };
    return (await fetchJson<Forked>(this.#http, path, { method: 'POST', body })).conversation_id;
  }

  async erase(): Promise<void> {
    await this.#http(this.#path, { method: 'DELETE' });
  }
}
