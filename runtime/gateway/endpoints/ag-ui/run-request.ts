import { z } from 'zod';
import { readJson } from '../../../base/bounded-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { type ChatAttachment, id } from '../../../client/protocol/request-schemas.ts';
import { attachmentFromUrl, fileName } from '../data-url.ts';
import { toMessageId } from '../foreign-ids.ts';

/** Answers of one run, and files of one message. */
const answersMax = 64;
const contextCharsMax = 16_000;
const toolErrorCharsMax = 2_000;

const json = z.custom<Json>((value) => value !== undefined);
const source = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('data'), value: z.string(), mimeType: z.string().max(200) }),
  z.looseObject({
    type: z.literal('url'),
    value: z.string(),
    mimeType: z.string().max(200).optional(),
  }),
]);
const filePart = z.looseObject({
  type: z.enum(['image', 'audio', 'video', 'document']),
  source,
  metadata: z.looseObject({ filename: z.string().max(1_000).optional() }).optional(),
});
/** The form of earlier versions. */
const binaryPart = z.looseObject({
  type: z.literal('binary'),
  mimeType: z.string().max(200),
  data: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().max(1_000).optional(),
});
const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const content = z.union([
  z.string(),
  z.array(z.union([textPart, filePart, binaryPart])).max(answersMax),
]);
const message = z.looseObject({ id: z.string().min(1).max(1_000), role: z.string().max(100) });
const userMessage = message.extend({ role: z.literal('user'), content });
const toolMessage = message.extend({
  role: z.literal('tool'),
  content,
  toolCallId: z.string().max(128),
  error: z.string().nullish(),
});
const resume = z.looseObject({
  interruptId: z.string().max(128),
  status: z.enum(['resolved', 'cancelled']),
  payload: json.optional(),
});
const tool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.record(z.string(), json).nullish(),
});

/** `RunAgentInput` of AG-UI. */
export const runRequest = z.looseObject({
  threadId: id,
  runId: z.string().min(1).max(1_000),
  messages: z.array(message).default([]),
  tools: z.array(tool).nullish(),
  context: z.array(z.looseObject({ description: z.string(), value: z.string() })).nullish(),
  state: json.nullish(),
  forwardedProps: json.nullish(),
  resume: z.array(resume).max(answersMax).nullish(),
});

export type RunRequest = z.infer<typeof runRequest>;

/** What a run hands to the intake: answers to what the turn waits for, in order, or a message. */
export type RunEvents = { readonly isAnswer: boolean; readonly messages: readonly object[] };

/** Refusal `invalid_input`. Only the end of `messages` counts: the server has the rest. */
export function toRunEvents(request: RunRequest): RunEvents {
  const { threadId: conversation_id, resume: answers } = request;
  const decided = (answers ?? []).map((answer) => toDecision(answer, conversation_id));
  const results = toolMessagesIn(request).map((each) => toResult(each, conversation_id));
  if (decided.length + results.length > 0)
    return { isAnswer: true, messages: [...decided, ...results] };
  const last = userMessage.safeParse(request.messages.at(-1));
  if (!last.success) {
    const role = 'messages: the last message must be of the user or of a tool';
    throw new Refusal('invalid_input', `${role}, unless resume answers an interrupt`);
  }
  const { id: message_id, content: said } = last.data;
  const kind = kindOf(request.forwardedProps);
  const text = `${textOf(said)}${toContext(request)}`;
  const options = kind === 'steer' ? {} : toOptions(request);
  const asked = { conversation_id, message_id: toMessageId(message_id), kind, text };
  return { isAnswer: false, messages: [{ ...asked, attachments: filesIn(said), ...options }] };
}

/** Ids of the tool calls that the messages at the end answer. */
export function answeredIn(request: RunRequest): ReadonlySet<string> {
  return new Set(toolMessagesIn(request).map(({ toolCallId }) => toolCallId));
}

function toolMessagesIn({ messages }: RunRequest): readonly z.infer<typeof toolMessage>[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages
    .slice(before + 1)
    .slice(-answersMax)
    .map((each) => {
      const parsed = toolMessage.safeParse(each);
      if (parsed.success) return parsed.data;
      throw new Refusal('invalid_input', 'messages: a tool message needs toolCallId and content');
    });
}

/** Without a payload, a resolved interrupt is an approval. */
function toDecision(
  { interruptId: request, status, payload = true }: z.infer<typeof resume>,
  conversation_id: string,
): object {
  const fields = isJsonObject(payload) ? payload : {};
  const said = [payload, fields['approved'], fields['accepted'], fields['allow']];
  const allow = status === 'resolved' && said.includes(true);
  const { editedArgs: input } = fields;
  const edited = input !== undefined && isJsonObject(input) ? { input } : {};
  const message_id = toMessageId(`approval.decision ${conversation_id} ${request}`);
  const decision = { request, allow, ...edited };
  return { conversation_id, message_id, kind: 'approval.decision', payload: decision };
}

function toResult(
  { toolCallId: call, content: said, error }: z.infer<typeof toolMessage>,
  conversation_id: string,
): object {
  const message_id = toMessageId(`external.result ${conversation_id} ${call}`);
  const text = textOf(said);
  const failure = (error || text).slice(0, toolErrorCharsMax);
  const payload = error
    ? { call, ok: false, error: { code: 'tool_failed', message: failure } }
    : { call, ok: true, ret: resultIn(text) };
  return { conversation_id, message_id, kind: 'external.result', payload };
}

/** Structured results are sent as JSON text. */
function resultIn(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  const read = readJson(text);
  return read.ok ? (read.value as Json) : text;
}

function kindOf(props: Json | null | undefined): string {
  const kind =
    props !== null && props !== undefined && isJsonObject(props) ? props['kind'] : undefined;
  if (kind === undefined) return 'prompt';
  if (kind === 'prompt' || kind === 'followup' || kind === 'steer') return kind;
  throw new Refusal('invalid_input', 'forwardedProps.kind: must be prompt, followup or steer');
}

function toOptions({ tools }: RunRequest): object {
  const declared = (tools ?? []).map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
  }));
  return declared.length === 0 ? {} : { options: { tools: declared } };
}

/** What the page shows around the chat, below the text of the message. */
function toContext({ context, state }: RunRequest): string {
  const facts = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
  const shared = hasContent(state) ? [`State of the page: ${JSON.stringify(state)}`] : [];
  const lines = [...facts, ...shared];
  if (lines.length === 0) return '';
  const text = lines.map((line) => `\n- ${line}`).join('');
  if (text.length <= contextCharsMax) return `\n\nContext:${text}`;
  const message = `context, state: must have at most ${contextCharsMax} characters`;
  throw new Refusal('invalid_input', message);
}

export function stateOf({ state }: RunRequest): JsonObject {
  return state !== null && state !== undefined && isJsonObject(state) ? state : {};
}

function hasContent(state: Json | null | undefined): boolean {
  return typeof state === 'object' && state !== null && Object.keys(state).length > 0;
}

function textOf(said: z.infer<typeof content>): string {
  if (typeof said === 'string') return said;
  return said
    .flatMap((part) => (part.type === 'text' && 'text' in part ? [String(part.text)] : []))
    .join('\n');
}

function filesIn(said: z.infer<typeof content>): readonly ChatAttachment[] {
  if (typeof said === 'string') return [];
  return said.flatMap((part, at) => {
    const place = `content[${at}]`;
    const file = filePart.safeParse(part).data;
    if (file) {
      const { type, value, mimeType: mime = '' } = file.source;
      const name = file.metadata?.filename;
      if (type === 'url') return [attachmentFromUrl(value, { name, mime, place })];
      return [{ name: name ?? fileName(mime), mime, data: value }];
    }
    const binary = binaryPart.safeParse(part).data;
    if (!binary) return [];
    const { mimeType: mime, filename: name, data, url = '' } = binary;
    if (data === undefined) return [attachmentFromUrl(url, { name, mime, place })];
    return [{ name: name ?? fileName(mime), mime, data }];
  });
}
