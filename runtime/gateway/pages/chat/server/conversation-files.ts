/// <reference lib="dom" />
import type { Client } from '../../../../client/index.ts';

/** Files of a conversation, for the browser to show and save. */
export class Files {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  addressOf(path: string, conversation: string): string {
    return `/api/files?${new URLSearchParams({ path, conversation })}`;
  }

  /** A local address for the bytes, because the server only serves files as downloads. */
  async pictureOf(path: string): Promise<string> {
    const response = await this.#client.fetch(path);
    return URL.createObjectURL(await response.blob());
  }

  async textOf(path: string): Promise<string> {
    const response = await this.#client.fetch(path);
    return response.text();
  }
}
