import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import {
  attachmentsMax,
  type ChatAttachment,
  id,
  messageOptions,
} from '../../../client/protocol/request-schemas.ts';
import { attachmentFromUrl } from '../data-url.ts';
import { toMessageId } from '../foreign-ids.ts';

const toolErrorCharsMax = 2_000;
/** Answers of one request. */
const answersMax = 16;

const json = z.custom<Json>((value) => value !== undefined);
const textPart = z.object({ type: z.literal('text'), text: z.string() });
const filePart = z.object({
  type: z.literal('file'),
  url: z.string(),
  mediaType: z.string().max(200).optional(),
  filename: z.string().max(1_000).optional(),
});
const toolPart = z.object({
  type: z.string().regex(/^(?:dynamic-tool$|tool-)/),
  toolCallId: z.string().max(128),
  state: z.string(),
  providerExecuted: z.boolean().optional(),
  output: json.optional(),
  errorText: z.string().optional(),
  approval: z.object({ id: z.string().max(128), approved: z.boolean().optional() }).optional(),
});
const part = z.looseObject({ type: z.string() });
const userMessage = z.object({
  id: z.string().min(1).max(1_000),
  role: z.literal('user'),
  parts: z.array(part).max(1_000),
});
const assistantMessage = userMessage.extend({ role: z.literal('assistant') });
const lastMessage = z.discriminatedUnion('role', [userMessage, assistantMessage]);

/** The body that `DefaultChatTransport` sends; `message` is the last message alone. */
export const chatRequest = z.looseObject({
  id,
  messages: z.array(z.unknown()).min(1).optional(),
  message: z.unknown().optional(),
  trigger: z.string().max(100).optional(),
  messageId: z.string().max(1_000).nullish(),
  kind: z.enum(['prompt', 'followup', 'steer']).default('prompt'),
  options: messageOptions.optional(),
});

export type UiMessage = z.infer<typeof lastMessage>;

/** What a request hands to the intake: a message, or answers to what a turn waits for, in order. */
export type ChatEvents = { readonly isAnswer: boolean; readonly messages: readonly object[] };

/** Refusal `invalid_input`. Only the last message counts: the server has the others. */
export function toChatEvents({
  id: conversation_id,
  kind,
  options,
  last,
}: Pick<z.infer<typeof chatRequest>, 'id' | 'kind' | 'options'> & {
  readonly last: UiMessage;
}): ChatEvents {
  if (last.role === 'assistant') {
    const answers = answersIn(last, conversation_id).slice(0, answersMax);
    if (answers.length > 0) return { isAnswer: true, messages: answers };
    const message = 'messages: the last message is not of the user, and answers nothing';
    throw new Refusal('invalid_input', message);
  }
  const text = last.parts.flatMap((each) => textPart.safeParse(each).data?.text ?? []).join('\n');
  const attachments = last.parts.flatMap((each, at) => fileIn(each, at));
  const asked = { conversation_id, message_id: toMessageId(last.id), kind, text };
  const message = { ...asked, attachments, ...(options !== undefined && { options }) };
  return { isAnswer: false, messages: [message] };
}

export function parseLastMessage({
  messages,
  message,
}: Pick<z.infer<typeof chatRequest>, 'messages' | 'message'>) {
  return lastMessage.safeParse(messages?.at(-1) ?? message);
}

function fileIn(raw: unknown, at: number): readonly ChatAttachment[] {
  const file = filePart.safeParse(raw).data;
  if (file === undefined) return [];
  if (at >= attachmentsMax * 2) throw new Refusal('invalid_input', 'parts: too many files');
  const { url, mediaType: mime, filename: name } = file;
  return [attachmentFromUrl(url, { name, mime, place: `parts[${at}].url` })];
}

/** The approvals and tool results of the last step. Their message ids make a repeated request the same message. */
function answersIn({ parts }: UiMessage, conversation_id: string): readonly object[] {
  const step = parts.findLastIndex(({ type }) => type === 'step-start');
  return parts.slice(step + 1).flatMap((raw) => {
    const tool = toolPart.safeParse(raw).data;
    const answer = tool && answerOf(tool);
    if (answer === undefined) return [];
    const message_id = toMessageId(`${answer.kind} ${conversation_id} ${answer.of}`);
    return [{ conversation_id, message_id, kind: answer.kind, payload: answer.payload }];
  });
}

function answerOf(tool: z.infer<typeof toolPart>) {
  const { toolCallId: call, state, approval, providerExecuted = false } = tool;
  if (state === 'approval-responded' && approval?.approved !== undefined) {
    const payload = { request: approval.id, allow: approval.approved };
    return { kind: 'approval.decision', of: approval.id, payload };
  }
  if (providerExecuted) return undefined;
  if (state === 'output-available') {
    const payload = { call, ok: true, ret: tool.output ?? null };
    return { kind: 'external.result', of: call, payload };
  }
  if (state !== 'output-error') return undefined;
  const message = (tool.errorText ?? '').slice(0, toolErrorCharsMax);
  const payload = { call, ok: false, error: { code: 'tool_failed', message } };
  return { kind: 'external.result', of: call, payload };
}
