import type { Conversation, Reaction, TurnFeedback } from '../api/types.ts';
import { mint } from '../protocol/mint-id.ts';
import type { Core } from '../transport/client-context.ts';
import { askJson } from '../transport/http.ts';

type Said = { readonly text: string } | null;
type Listed = {
  readonly turns: readonly {
    readonly turn_id: string;
    readonly user: Said;
    readonly assistant: Said;
    readonly feedbacks: readonly {
      readonly ts: string;
      readonly origin: 'user' | 'machine';
      readonly reaction: Reaction;
      readonly text: string;
    }[];
  }[];
};

/** What is asked about one conversation over HTTP. */
export class Management {
  readonly #http: Core['http'];
  readonly #path: string;

  constructor({ http, scope }: Core, id: string) {
    this.#http = http;
    this.#path = `/conversations/${scope}/${encodeURIComponent(id)}`;
  }

  async feedback(
    turn: string,
    { reaction, text }: Parameters<Conversation['feedback']>[1],
  ): Promise<void> {
    const body = JSON.stringify({ reaction, text, message_id: mint('msg') });
    const path = `${this.#path}/turns/${encodeURIComponent(turn)}/feedback`;
    await this.#http(path, { method: 'POST', body });
  }

  async feedbacks(): Promise<readonly TurnFeedback[]> {
    const path = `${this.#path}/turns-with-feedbacks`;
    const listed = await askJson<Listed>(this.#http, path, { method: 'POST', body: '{}' });
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
    return (await askJson<Forked>(this.#http, path, { method: 'POST', body })).conversation_id;
  }

  async erase(): Promise<void> {
    await this.#http(this.#path, { method: 'DELETE' });
  }
}
