import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { MessageAck, WireError } from '../../client/protocol/envelope.ts';
import type { SentFile, ServedSurface, SurfaceUpdate } from '../../sdk/contract/surface.ts';
import type { Intake } from '../intake/intake.ts';
import { decisionOf } from './approval-message.ts';
import { busyWaitMaxMs } from './limits.ts';
import type { SurfaceChats } from './surface-chats.ts';

type Parts = {
  readonly served: ServedSurface;
  readonly chats: SurfaceChats;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
};
type Message = SurfaceUpdate & { readonly kind: 'message' };

const help = [
  'Write a message, and the agent answers. What you write while it works is read by it in between.',
  '• Reply to the message it is writing: it changes course.',
  '• /stop: it stops.',
  '• /new: a new conversation.',
].join('\n');

/** Turns what people do in a messenger into messages of their conversations. */
export class SurfaceIntake {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Rejects if the update was not handled and must be given again. */
  async take(update: SurfaceUpdate, signal: AbortSignal): Promise<void> {
    const { allow } = this.#parts.served;
    const { chat } = update;
    if (allow !== 'anyone' && !allow.has(chat)) {
      const text = `This chat may not use the agent. Its operator can add the id ${chat} to \`allow\`.`;
      return await this.#say(chat, text, signal);
    }
    if (update.kind === 'button') return await this.#press(update, signal);
    const [, command] = /^\/([a-z]+)(?:@\w+)?\s*$/.exec(update.text) ?? [];
    if (command === 'start' || command === 'help') return await this.#say(chat, help, signal);
    if (command === 'new') return await this.#startConversation(update, signal);
    if (command === 'stop') return await this.#stop(update, signal);
    await this.#send(update, signal);
  }

  async #startConversation({ chat, id }: Message, signal: AbortSignal): Promise<void> {
    const { chats } = this.#parts;
    await chats.start(chat, this.#conversationFor(chat, id));
    await this.#say(chat, 'A new conversation begins.', signal);
  }

  async #stop({ chat, id }: Message, signal: AbortSignal): Promise<void> {
    const ack = await this.#submit(chat, { id, kind: 'steer', text: '' }, signal);
    if (!ack.ok) await this.#say(chat, 'No answer is being written.', signal);
  }

  async #press({ chat, id, value }: SurfaceUpdate & { kind: 'button' }, signal: AbortSignal) {
    const decision = decisionOf(value);
    if (!decision) return;
    const payload = { ...decision };
    const ack = await this.#submit(chat, { id, kind: 'approval.decision', payload }, signal);
    if (ack.ok) await this.#parts.chats.follow(chat, signal);
    else await this.#say(chat, ack.error.message, signal);
  }

  async #send(update: Message, signal: AbortSignal): Promise<void> {
    const { chats } = this.#parts;
    const { chat, id, text, replyTo } = update;
    const attachments = await this.#download(update.files, signal);
    const isSteer =
      text !== '' && replyTo !== undefined && (chats.followed(chat)?.isLive(replyTo) ?? false);
    const message = { id, kind: isSteer ? 'steer' : 'prompt', text, attachments };
    let ack = await this.#submit(chat, message, signal);
    // The turn ended in between: an ordinary message then.
    if (isError(ack, 'turn_closed'))
      ack = await this.#submit(chat, { ...message, id: `${id}-p`, kind: 'prompt' }, signal);
    if (isError(ack, 'conversation_erased') || isError(ack, 'not_found')) {
      await chats.start(chat, this.#conversationFor(chat, id));
      ack = await this.#submit(chat, { ...message, kind: 'prompt' }, signal);
    }
    if (ack.ok) await chats.follow(chat, signal);
    else await this.#say(chat, ack.error.message, signal);
  }

  async #download(files: readonly SentFile[], signal: AbortSignal) {
    const { surface } = this.#parts.served;
    const attachments: { name: string; mime: string; data: Uint8Array }[] = [];
    for (const file of files) {
      const data = await surface.download(file, { signal });
      attachments.push({ name: file.name, mime: file.mime, data });
    }
    return attachments;
  }

  #conversationFor(chat: string, id: string): string {
    return `${this.#parts.served.surface.name}-${chat}-${id}`;
  }

  /** Submits a message under the id of its update, so that an update that arrives again changes nothing. */
  async #submit(
    chat: string,
    {
      id,
      ...content
    }: { readonly id: string; readonly kind: string; readonly [field: string]: unknown },
    signal: AbortSignal,
  ): Promise<MessageAck> {
    const { chats, intake, clock, served } = this.#parts;
    const { bundle, agent, surface } = served;
    const message = {
      conversation_id: await chats.conversationOf(chat),
      message_id: `${surface.name}-${id}`,
      ...(bundle === undefined ? {} : { bundle_id: bundle }),
      ...(agent === undefined ? {} : { agent_id: agent }),
      ...content,
    };
    for (;;) {
      const { ack } = await intake.take(chats.senderOf(chat), message, { signal });
      if (ack.ok || ack.error.retry_after_ms === undefined) return ack;
      await clock.sleep(Math.min(ack.error.retry_after_ms, busyWaitMaxMs), { signal });
    }
  }

  /** A notice that nothing depends on. */
  async #say(chat: string, text: string, signal: AbortSignal): Promise<void> {
    const { log, served } = this.#parts;
    const { surface } = served;
    try {
      await surface.post(chat, { text }, { signal });
    } catch (error) {
      if (!isFault(error)) throw error;
      log.warn('notice not sent', { surface: surface.name, chat, error });
    }
  }
}

function isError(ack: MessageAck, code: WireError['code']): boolean {
  return !ack.ok && ack.error.code === code;
}
