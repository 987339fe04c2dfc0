import { z } from 'zod';
import type { SentFile, SurfaceUpdate } from '../../sdk/contract/surface.ts';

const file = z.object({
  file_id: z.string(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});
const message = z.object({
  message_id: z.int(),
  chat: z.object({ id: z.int(), type: z.string() }),
  from: z.object({ first_name: z.string().optional(), is_bot: z.boolean().optional() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  document: file.optional(),
  photo: z.array(file).optional(),
  audio: file.optional(),
  video: file.optional(),
  voice: file.optional(),
  reply_to_message: z
    .object({ message_id: z.int(), from: z.object({ id: z.int() }).optional() })
    .optional(),
});
export const update = z.object({
  update_id: z.int(),
  message: message.optional(),
  callback_query: z
    .object({
      id: z.string(),
      data: z.string().optional(),
      message: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }).optional(),
    })
    .optional(),
});

type Update = z.infer<typeof update>;
type Message = z.infer<typeof message>;
export type Bot = { readonly id: number; readonly username: string };

/** What a person did; undefined: nothing that an agent answers, such as a message to others in a group. */
export function toSurfaceUpdate(
  { message: sent, callback_query: pressed }: Update,
  bot: Bot,
): SurfaceUpdate | undefined {
  if (pressed?.data !== undefined && pressed.message) {
    const chat = String(pressed.message.chat.id);
    return { kind: 'button', id: `b${pressed.id}`, chat, value: pressed.data };
  }
  if (!sent || sent.from?.is_bot === true) return undefined;
  const text = textFor(sent, bot);
  const files = filesOf(sent);
  if (text === undefined || (text === '' && files.length === 0)) return undefined;
  const replied = sent.reply_to_message?.message_id;
  return {
    kind: 'message',
    id: String(sent.message_id),
    chat: String(sent.chat.id),
    text,
    files,
    ...(replied === undefined ? {} : { replyTo: String(replied) }),
  };
}

/** In a group, only what mentions the bot, replies to it or is a command of it; with the name of its author. */
function textFor(sent: Message, bot: Bot): string | undefined {
  const text = sent.text ?? sent.caption ?? '';
  if (sent.chat.type === 'private') return text;
  const mention = `@${bot.username}`;
  const isReply = sent.reply_to_message?.from?.id === bot.id;
  if (!isReply && !text.includes(mention)) return undefined;
  if (text.startsWith('/')) return text;
  const name = sent.from?.first_name ?? 'somebody';
  return `${name}: ${text.replaceAll(mention, '').trim()}`;
}

function filesOf({ document, photo, audio, video, voice, message_id }: Message): SentFile[] {
  // The sizes of a photo come in ascending order.
  const largest = photo?.at(-1);
  const found: SentFile[] = [];
  if (largest)
    found.push({ id: largest.file_id, name: `photo-${message_id}.jpg`, mime: 'image/jpeg' });
  for (const each of [document, audio, video, voice]) {
    if (!each) continue;
    const name = each.file_name ?? `file-${message_id}`;
    found.push({ id: each.file_id, name, mime: each.mime_type ?? '' });
  }
  return found;
}
