import { z } from 'zod';
import type { LiveServer } from './processes.ts';

const Open = z.object({ sid: z.string() });
const Ack = z.tuple([z.object({ ok: z.literal(true) })]);
/** Between packets of one response. */
const separator = '\u001e';

/** A client of Socket.IO over long polling that subscribes and then never polls again. */
export class SlowPoller implements AsyncDisposable {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async open(server: LiveServer, user: string): Promise<SlowPoller> {
    const url = `${server.url}/socket.io/?EIO=4&transport=polling`;
    const { sid } = Open.parse(JSON.parse((await (await fetch(url)).text()).slice(1)));
    const poller = new SlowPoller(`${url}&sid=${sid}`);
    await poller.#send(`40${JSON.stringify({ user, tenant: 'dev', project: 'dev' })}`);
    await poller.#packet('40');
    return poller;
  }

  async subscribe(conversation_id: string): Promise<void> {
    const subscription = ['chat_subscribe', { conversation_id, after: 'now' }];
    await this.#send(`420${JSON.stringify(subscription)}`);
    Ack.parse(JSON.parse(await this.#packet('430')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Unless the server has given it up already.
    await fetch(this.#url, { method: 'POST', body: '1' });
  }

  async #send(packet: string): Promise<void> {
    const response = await fetch(this.#url, { method: 'POST', body: packet });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.text();
  }

  /** Polls until a packet begins like this; the rest of it. */
  async #packet(head: string): Promise<string> {
    for (;;) {
      const response = await fetch(this.#url);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      const packets = (await response.text()).split(separator);
      const packet = packets.find((each) => each.startsWith(head));
      if (packet !== undefined) return packet.slice(head.length);
    }
  }
}
