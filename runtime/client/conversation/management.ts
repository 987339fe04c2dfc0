import type { Conversation, Reaction, TurnFeedback } from '../api/types.ts';
import { mintId } from '../protocol/mint-id.ts';
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

/** Requests about one conversation over HTTP. */
export class Management {
  readonly #http: ClientContext['http'];
  readonly #path: string;

  constructor({ http, scope }: ClientContext, id: string) {
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

  async rename(title: string): Promise<void> {
    await this.#http(this.#path, { method: 'PATCH', body: JSON.stringify({ title }) });
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
