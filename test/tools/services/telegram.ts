import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Shown = {
  readonly id: number;
  text: string;
  buttons: readonly { text: string; callback_data: string }[];
  readonly file?: { readonly name: string; readonly bytes: Buffer };
  edits: number;
};
type Body = Readonly<Record<string, unknown>>;
type Refusal = {
  readonly status: number;
  readonly description: string;
  readonly retryAfter?: number;
};

const token = '110201543:test-token';
const bot = { id: 110_201_543, is_bot: true, username: 'loom_bot', first_name: 'Loom' };

/** Tags and entities of Telegram's HTML; anything else is "can't parse entities". */
const html =
  /^(?:[^<>&]|&(?:lt|gt|amp|quot);|<\/?(?:b|i|s|pre|blockquote|code)>|<code class="language-[^"<>]*">|<a href="[^"<>]*">|<\/a>)*$/;

/** A Bot API server (https://core.telegram.org/bots/api) for one bot, on a port of the loopback. */
export class TelegramServer implements AsyncDisposable {
  readonly token = token;
  readonly chats = new Map<number, Shown[]>();
  readonly calls: { readonly method: string; readonly body: Body }[] = [];
  readonly files = new Map<string, Buffer>();
  hook: { readonly url: string; readonly secret: string } | undefined;
  readonly #refusals: (Refusal & { readonly method: string })[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #holds = new Map<string, Promise<void>>();
  #updates: ({ update_id: number } & Body)[] = [];
  #nextUpdate = 1;
  #nextMessage = 1;
  readonly #changed = new Set<() => void>();

  static async start(): Promise<TelegramServer> {
    const telegram = new TelegramServer();
    telegram.#server.listen(0, '127.0.0.1');
    await once(telegram.#server, 'listening');
    return telegram;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The next call of this method fails so. */
  refuse(method: string, refusal: Refusal): void {
    this.#refusals.push({ method, ...refusal });
  }

  /** The next call of this method takes effect, and is answered when the returned function is called. */
  hold(method: string): () => void {
    let release: () => void = () => undefined;
    this.#holds.set(
      method,
      new Promise<void>((resolve) => {
        release = resolve;
      }),
    );
    return release;
  }

  /** A person writes. Returns the id of the message. */
  async write(chat: number, content: Body, type = 'private'): Promise<number> {
    const id = this.#nextMessage++;
    await this.repeat({ chat, id, type }, content);
    return id;
  }

  /** Delivers a message, as Telegram does again when it was not confirmed. */
  async repeat(
    { chat, id, type = 'private' }: { chat: number; id: number; type?: string },
    content: Body,
  ): Promise<void> {
    const from = { id: chat, is_bot: false, first_name: 'Ada' };
    await this.#deliver({
      message: { message_id: id, chat: { id: chat, type }, from, date: 0, ...content },
    });
  }

  async press(chat: number, label: string): Promise<void> {
    const shown = this.shown(chat).findLast(({ buttons }) =>
      buttons.some(({ text }) => text === label),
    );
    const data = shown?.buttons.find(({ text }) => text === label)?.callback_data;
    const message = { message_id: shown?.id, chat: { id: chat } };
    await this.#deliver({
      callback_query: { id: String(this.#nextMessage++), from: { id: chat }, data, message },
    });
  }

  shown(chat: number): Shown[] {
    return this.chats.get(chat) ?? [];
  }

  /** Resolves once the chat shows what is looked for. */
  async until<T>(find: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      await new Promise<void>((resolve) => this.#changed.add(resolve));
    }
  }

  untilText(chat: number, text: string): Promise<Shown> {
    return this.until(() => this.shown(chat).findLast((each) => each.text.includes(text)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#notify();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => undefined);
  }

  async #deliver(content: Body): Promise<void> {
    const update = { update_id: this.#nextUpdate++, ...content };
    if (this.hook) {
      const headers = {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': this.hook.secret,
      };
      await fetch(this.hook.url, { method: 'POST', headers, body: JSON.stringify(update) });
      return;
    }
    this.#updates.push(update);
    this.#notify();
  }

  #notify(): void {
    const waiting = [...this.#changed];
    this.#changed.clear();
    for (const resolve of waiting) resolve();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '/', 'http://local');
    const file = this.files.get(pathname.replace(`/file/bot${token}/`, ''));
    if (file) return void response.end(file);
    const method = pathname.replace(`/bot${token}/`, '');
    const body = await bodyOf(request);
    this.calls.push({ method, body });
    const at = this.#refusals.findIndex((each) => each.method === method);
    const [refused] = at < 0 ? [] : this.#refusals.splice(at, 1);
    const result = refused ?? (await this.#answer(method, body));
    const held = this.#holds.get(method);
    this.#holds.delete(method);
    await held;
    if (!isRefusal(result)) return reply(200, { ok: true, result });
    const { status, description, retryAfter } = result;
    const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
    reply(status, { ok: false, error_code: status, description, ...parameters });
  }

  async #answer(method: string, body: Body): Promise<unknown> {
    if (method === 'getMe') return bot;
    if (method === 'getUpdates') return await this.#poll(Number(body['offset'] ?? 0));
    if (method === 'setWebhook') {
      this.hook = { url: String(body['url']), secret: String(body['secret_token']) };
      this.#notify();
    }
    if (method === 'deleteWebhook') this.hook = undefined;
    if (method === 'getFile') return { file_path: String(body['file_id']) };
    if (method === 'sendMessage' || method === 'sendDocument') return this.#send(body);
    if (method === 'editMessageText') return this.#edit(body);
    return true;
  }

  async #poll(offset: number): Promise<unknown> {
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    if (this.#updates.length === 0)
      await new Promise<void>((resolve) => this.#changed.add(resolve));
    return this.#updates.slice(0, 100);
  }

  #send(body: Body): unknown {
    const wrong = flawOf(body);
    if (wrong) return wrong;
    const chat = Number(body['chat_id']);
    const file = body['document'] as Shown['file'];
    const text = typeof body['text'] === 'string' ? body['text'] : '';
    const shown: Shown = {
      id: this.#nextMessage++,
      text,
      buttons: buttonsOf(body),
      edits: 0,
      ...(file && { file }),
    };
    this.chats.set(chat, [...this.shown(chat), shown]);
    this.#notify();
    return { message_id: shown.id, chat: { id: chat } };
  }

  #edit(body: Body): unknown {
    const shown = this.shown(Number(body['chat_id'])).find(({ id }) => id === body['message_id']);
    if (!shown) return { status: 400, description: 'Bad Request: message to edit not found' };
    const wrong = flawOf(body);
    if (wrong) return wrong;
    const buttons = buttonsOf(body);
    const isSame =
      shown.text === body['text'] && JSON.stringify(shown.buttons) === JSON.stringify(buttons);
    if (isSame) return { status: 400, description: 'Bad Request: message is not modified' };
    shown.text = String(body['text']);
    shown.buttons = buttons;
    shown.edits += 1;
    this.#notify();
    return { message_id: shown.id };
  }
}

function flawOf({ text, parse_mode: mode, document }: Body): Refusal | undefined {
  if (document !== undefined) return undefined;
  const said = String(text ?? '');
  if (said.trim() === '') return { status: 400, description: 'Bad Request: message text is empty' };
  if (mode === 'HTML' && !html.test(said))
    return { status: 400, description: "Bad Request: can't parse entities" };
  if (said.replaceAll(/<[^>]*>/g, '').length > 4_096)
    return { status: 400, description: 'Bad Request: message is too long' };
  return undefined;
}

function buttonsOf(body: Body): Shown['buttons'] {
  const markup = body['reply_markup'] as { inline_keyboard?: Shown['buttons'][] } | undefined;
  return markup?.inline_keyboard?.flat() ?? [];
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'description' in value;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data'))
    return bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const document = form.get('document');
  if (!(document instanceof File)) throw new Error('no document');
  const file = { name: document.name, bytes: Buffer.from(await document.arrayBuffer()) };
  return { chat_id: Number(form.get('chat_id')), document: file };
}
