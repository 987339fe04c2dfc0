/// <reference lib="dom" />
import type { Client } from '../../../client/index.ts';

/** Files of a conversation as the browser can show and save them. */
export class Files {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  addressOf(path: string, conversation: string): string {
    return `/api/files?${new URLSearchParams({ path, conversation })}`;
  }

  /** An address in this page for the bytes: the server gives files only to be saved. */
  async pictureOf(path: string): Promise<string> {
    const response = await this.#client.fetch(path);
    return URL.createObjectURL(await response.blob());
  }
}
