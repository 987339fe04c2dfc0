import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { type ChatAttachment, id as idSchema } from '../../../client/protocol/request-schemas.ts';
import { attachmentFromUrl, fileName } from '../data-url.ts';
import { toMessageId } from '../foreign-ids.ts';
import { partsMax, taskIdCharsMax } from './limits.ts';

const json = z.unknown().optional();
/** A part of either version: of 1.0 by the name of its field, of 0.3 by its `kind`. */
const part = z.looseObject({
  text: z.string().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  data: json,
  filename: z.string().optional(),
  mediaType: z.string().optional(),
  file: z
    .looseObject({
      bytes: z.string().optional(),
      uri: z.string().optional(),
      name: z.string().optional(),
      mimeType: z.string().optional(),
    })
    .optional(),
});
type Part = z.infer<typeof part>;

const kindKey = 'timeloom/kind';
const taskId = z.string().min(1).max(taskIdCharsMax);
const optionalText = z.string().max(taskIdCharsMax).nullish();
export const sendParams = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1).max(500),
    contextId: optionalText,
    taskId: optionalText,
    parts: z.array(part).min(1).max(partsMax),
    metadata: z.looseObject({ [kindKey]: z.enum(['followup', 'steer']).optional() }).nullish(),
  }),
  configuration: z
    .looseObject({
      returnImmediately: z.boolean().nullish(),
      blocking: z.boolean().nullish(),
      taskPushNotificationConfig: json,
      pushNotificationConfig: json,
    })
    .nullish(),
});
export type SendParams = z.infer<typeof sendParams>;
export const taskParams = z.looseObject({ id: taskId });

export type TaskName = { readonly conversation: string; readonly turn: string };

/** Refusal `task_not_found`: not an id that this server has made. */
export function parseTaskId(text: string): TaskName {
  const [conversation = '', turn = '', ...more] = text.split('.');
  const isValid = [conversation, turn].every((each) => idSchema.safeParse(each).success);
  if (isValid && more.length === 0) return { conversation, turn };
  throw new Refusal('task_not_found', 'task not found');
}

export type SentMessage = {
  readonly message_id: string;
  readonly text: string;
  readonly data: Json | undefined;
  readonly attachments: readonly ChatAttachment[];
  /** What the message is to a running task. */
  readonly kind: 'followup' | 'steer';
};

/** Refusal `invalid_input`. */
export function messageOf({ message: { messageId, parts, metadata } }: SendParams): SentMessage {
  const texts = parts.flatMap(({ text }) => text ?? []);
  const [data] = parts.flatMap(({ data: value }) => (value === undefined ? [] : [value as Json]));
  return {
    message_id: toMessageId(messageId),
    text: texts.join('\n\n'),
    data,
    attachments: parts.flatMap(toAttachment),
    kind: metadata?.[kindKey] ?? 'followup',
  };
}

function toAttachment({ raw, url, filename, mediaType, file }: Part): ChatAttachment[] {
  const mime = mediaType ?? file?.mimeType ?? '';
  const name = filename ?? file?.name ?? '';
  const data = raw ?? file?.bytes;
  if (data !== undefined) return [{ name: name || fileName(mime), mime, data }];
  const address = url ?? file?.uri;
  if (address === undefined) return [];
  return [attachmentFromUrl(address, { name, mime, place: 'parts' })];
}

/** What a message to a waiting task answers: its data, or its text. */
export function answerIn({ data, text }: SentMessage): Json {
  if (data === undefined) return text;
  return isJsonObject(data) ? withoutRequest(data) : data;
}

/** The question that the data names; undefined: the first one. */
export function questionIn({ data }: SentMessage): string | undefined {
  if (data === undefined || !isJsonObject(data)) return undefined;
  const { request, call } = data;
  return typeof request === 'string' ? request : typeof call === 'string' ? call : undefined;
}

function withoutRequest({ request: _, call: __, type: ___, ...answer }: JsonObject): Json {
  return answer;
}
