import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { isFault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { untilAborted } from '../../base/signal.ts';
import type {
  Posted,
  SentFile,
  Surface,
  SurfaceFile,
  SurfaceMessage,
  SurfaceUpdate,
  Take,
  WebhookHandler,
  WebhookRequest,
} from '../../sdk/contract/surface.ts';
import { BotApi, type BotSettings } from './bot-api.ts';
import { toTelegramHtml } from './html.ts';
import {
  callDeadlineMs,
  documentBytesMax,
  editMs,
  messageCharsMax,
  pollSeconds,
  uploadDeadlineMs,
} from './limits.ts';
import { type Bot, toSurfaceUpdate, update } from './updates.ts';

type Options = { readonly signal: AbortSignal };
export type TelegramSettings = BotSettings & {
  /** Public address of the webhook. Undefined: the server asks Telegram for updates. */
  readonly webhookUrl: string | undefined;
  /** Milliseconds between two changes of a chat. Undefined: as often as Telegram allows. */
  readonly editMs?: number | undefined;
};

const sent = z.object({ message_id: z.int() });
const unknown = z.unknown();
const updateKinds = ['message', 'callback_query'];

/** Telegram, as one bot. */
export function createTelegram(settings: TelegramSettings): Surface {
  return new Telegram(settings);
}

class Telegram implements Surface {
  readonly name = 'telegram';
  readonly limits: Surface['limits'];
  readonly webhook: WebhookHandler | undefined;
  readonly #api: BotApi;
  readonly #settings: TelegramSettings;
  #bot: Bot = { id: 0, username: '' };

  constructor(settings: TelegramSettings) {
    this.#settings = settings;
    this.#api = new BotApi(settings);
    this.limits = {
      textCharsMax: messageCharsMax,
      fileBytesMax: documentBytesMax,
      editMs: settings.editMs ?? editMs,
    };
    this.webhook =
      settings.webhookUrl === undefined
        ? undefined
        : (request, take, { signal }) => this.#takeHook(request, take, signal);
  }

  async receive(take: Take, { signal }: Options): Promise<void> {
    await this.#identify(signal);
    await this.#showCommands(signal);
    const { webhookUrl } = this.#settings;
    if (webhookUrl !== undefined) {
      const hook = { url: webhookUrl, secret_token: this.#secret, allowed_updates: updateKinds };
      await this.#api.call('setWebhook', hook, { signal, result: unknown });
      await untilAborted(new Promise(() => undefined), signal);
      return;
    }
    // Telegram gives updates only to one of webhook and request.
    await this.#api.call('deleteWebhook', {}, { signal, result: unknown });
    await this.#poll(take, signal);
  }

  async #identify(signal: AbortSignal): Promise<void> {
    const result = z.object({ id: z.int(), username: z.string().optional() });
    const { id, username = '' } = await this.#api.call('getMe', {}, { signal, result });
    this.#bot = { id, username };
  }

  /** An update is confirmed by the next request, whose offset lies behind it. */
  async #poll(take: Take, signal: AbortSignal): Promise<never> {
    const deadlineMs = pollSeconds * 1_000 + callDeadlineMs;
    for (let offset = 0; ; ) {
      const params = { offset, timeout: pollSeconds, allowed_updates: updateKinds };
      const result = z.array(z.looseObject({ update_id: z.int() }));
      const updates = await this.#api.call('getUpdates', params, { signal, deadlineMs, result });
      await this.#takeAll(updates, take, signal);
      offset = Math.max(offset, ...updates.map(({ update_id: id }) => id + 1));
    }
  }

  /** Chats do not wait for each other. */
  async #takeAll(updates: readonly unknown[], take: Take, signal: AbortSignal): Promise<void> {
    const chats = new Map<string, Promise<void>>();
    for (const each of updates.map((raw) => this.#read(raw))) {
      if (!each) continue;
      const before = chats.get(each.chat) ?? Promise.resolve();
      chats.set(
        each.chat,
        before.then(() => this.#take(each, take, signal)),
      );
    }
    await Promise.all(chats.values());
  }

  #read(raw: unknown): SurfaceUpdate | undefined {
    const { success, data } = update.safeParse(raw);
    return success ? toSurfaceUpdate(data, this.#bot) : undefined;
  }

  async #take(each: SurfaceUpdate, take: Take, signal: AbortSignal) {
    await take(each);
    if (each.kind === 'button') await this.#stopSpinner(each, signal);
  }

  /** Until it is answered, the button shows that it waits. */
  async #stopSpinner({ id }: SurfaceUpdate, signal: AbortSignal): Promise<void> {
    const query = { callback_query_id: id.slice(1) };
    try {
      await this.#api.call('answerCallbackQuery', query, { signal, result: unknown });
    } catch (error) {
      // Too old: it shows nothing any more.
      if (!isFault(error) || error.code !== 'SURFACE_REFUSED') throw error;
    }
  }

  async #takeHook(
    { header, body }: WebhookRequest,
    take: Take,
    signal: AbortSignal,
  ): Promise<void> {
    const given = Buffer.from(header('x-telegram-bot-api-secret-token') ?? '');
    const secret = Buffer.from(this.#secret);
    if (given.length !== secret.length || !timingSafeEqual(given, secret)) {
      throw new Refusal('unauthenticated', 'the secret token of this webhook is wrong');
    }
    // A gateway that does not receive knows the bot from its first update on.
    if (this.#bot.id === 0) await this.#identify(signal);
    const each = this.#read(await body());
    if (each) await this.#take(each, take, signal);
  }

  get #secret(): string {
    return createHash('sha256').update(`webhook ${this.#settings.token}`).digest('hex');
  }

  async post(chat: string, message: SurfaceMessage, options: Options): Promise<string> {
    return await this.#say('sendMessage', { chat_id: Number(chat) }, { message, ...options });
  }

  async edit({ chat, id }: Posted, message: SurfaceMessage, options: Options): Promise<void> {
    const target = { chat_id: Number(chat), message_id: Number(id) };
    await this.#say('editMessageText', target, { message, ...options });
  }

  async #say(
    method: string,
    target: Readonly<Record<string, number>>,
    { message: { text, buttons = [] }, signal }: Options & { message: SurfaceMessage },
  ): Promise<string> {
    const keyboard = buttons.map(({ label, value }) => [{ text: label, callback_data: value }]);
    const plain = {
      ...target,
      text,
      link_preview_options: { is_disabled: true },
      reply_markup: { inline_keyboard: keyboard },
    };
    const result = z.union([sent, z.literal(true)]);
    const idOf = (answer: z.infer<typeof result>) =>
      String(answer === true ? target['message_id'] : answer.message_id);
    try {
      const html = { ...plain, text: toTelegramHtml(text), parse_mode: 'HTML' };
      return idOf(await this.#api.call(method, html, { signal, result }));
    } catch (error) {
      if (isRefused(error, 'message is not modified')) return String(target['message_id']);
      if (!isRefused(error, "can't parse entities") && !isRefused(error, 'too long')) throw error;
      return idOf(await this.#api.call(method, plain, { signal, result }));
    }
  }

  async postFile(chat: string, file: SurfaceFile, { signal }: Options): Promise<string> {
    const form = new FormData();
    form.set('chat_id', chat);
    const bytes = new Uint8Array(file.bytes);
    form.set('document', new Blob([bytes], { type: file.mime }), file.name);
    const options = { signal, deadlineMs: uploadDeadlineMs, result: sent };
    const { message_id: id } = await this.#api.call('sendDocument', form, options);
    return String(id);
  }

  async download({ id }: SentFile, { signal }: Options): Promise<Uint8Array> {
    const result = z.object({ file_path: z.string() });
    const { file_path: path } = await this.#api.call(
      'getFile',
      { file_id: id },
      { signal, result },
    );
    return await this.#api.download(path, { signal });
  }

  async indicateTyping(chat: string, { signal }: Options): Promise<void> {
    const params = { chat_id: Number(chat), action: 'typing' };
    await this.#api.call('sendChatAction', params, { signal, result: unknown });
  }

  async #showCommands(signal: AbortSignal): Promise<void> {
    const commands = [
      { command: 'new', description: 'Start a new conversation' },
      { command: 'stop', description: 'Stop the answer that is being written' },
      { command: 'help', description: 'How to use this bot' },
    ];
    await this.#api.call('setMyCommands', { commands }, { signal, result: unknown });
  }
}

function isRefused(error: unknown, words: string): boolean {
  return isFault(error) && error.code === 'SURFACE_REFUSED' && error.message.includes(words);
}
