import { z } from 'zod';
import { isPlainJson, type Json } from '../../base/json.ts';
import { textCharsMax } from './limits.ts';

/** Characters of the JSON of a payload. */
export const payloadCharsMax = 64_000;
/** Files of one message. */
export const attachmentsMax = 20;

/** Ids become parts of paths and file names, so they hold nothing that a path could take for its own. */
export const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'an id has 1 to 128 letters, digits, _ and -');

/** Of a user, as whoever signs tokens calls them. */
export const userName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), 'it has control characters');

export const messageId = id;

const kind = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'a kind has 1 to 64 of a-z, 0-9, _, . and -');

/** Not `z.json()`, which takes a third of a second for a payload of this length. */
const payload = z
  .custom<Json>((value) => isPlainJson(value, payloadCharsMax), 'JSON is needed')
  .refine(
    (value) => JSON.stringify(value).length <= payloadCharsMax,
    `more than ${payloadCharsMax} characters`,
  );

/** One pass over text of several MiB, where zod's own check takes a hundred times longer. */
const base64 = z.stringFormat(
  'base64',
  (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
);
const bytes = z.union([base64, z.instanceof(Uint8Array)], 'base64 text or binary');

/** `type/subtype`, with parameters or without, in printable ASCII: it becomes the value of a header. */
const mimePattern = /^[\w.+-]+\/[\w.+-]+(?: *;[\x20-\x7e]*)?$/;
/** Of a file, as its sender calls it; empty where the sender does not know. */
export const mime = z
  .string()
  .max(200)
  .refine((text) => text === '' || isMime(text), 'a mime is type/subtype, as text/csv')
  .default('');

export function isMime(text: string): boolean {
  return mimePattern.test(text);
}

const attachment = z
  .strictObject({
    name: z.string().min(1).max(1_000),
    mime,
    data: bytes.optional(),
    upload_id: z.string().max(200).optional(),
  })
  .refine(
    ({ data, upload_id }) => (data === undefined) !== (upload_id === undefined),
    'either data or upload_id',
  );

/** A client's one way to say something: `kind` is `prompt`, `followup`, `steer`, or one that the bundle declares. */
export const chatMessage = z.strictObject({
  conversation_id: id.optional(),
  message_id: id,
  kind: kind.default('prompt'),
  text: z.string().max(textCharsMax).optional(),
  payload: payload.optional(),
  attachments: z.array(attachment).max(attachmentsMax).optional(),
  bundle_id: id.optional(),
  agent_id: id.optional(),
  target_turn_id: id.optional(),
  expected_turn_id: id.optional(),
});

export type ChatMessage = z.infer<typeof chatMessage>;
export type ChatAttachment = z.infer<typeof attachment>;

const cursor = z.string().max(300);

/** Turns of the past that one request asks for. */
export const tailTurnsMax = 200;
export const tail = z.int().min(1).max(tailTurnsMax);

/**
 * `after`: a cursor, or `now`; `tail`: the last so many turns; neither: from the beginning. `before`: what was told up to
 * that cursor, and nothing after it.
 */
export const subscribeRequest = z
  .strictObject({
    conversation_id: id,
    after: cursor.optional(),
    tail: tail.optional(),
    before: cursor.optional(),
  })
  .refine(({ after, tail: turns }) => after === undefined || turns === undefined, 'after or tail')
  .refine(
    ({ before, tail: turns }) => before === undefined || turns !== undefined,
    'before needs tail',
  );

export const conversationRequest = z.strictObject({ conversation_id: id });

export const recallRequest = z.strictObject({ conversation_id: id, event_id: id });

/** What a socket presents when it connects, and a request in its headers. */
export const connectAuth = z.object({
  token: z.string().max(10_000).optional(),
  tenant: id.optional(),
  project: id.optional(),
  user: id.optional(),
});

export type ConnectAuth = z.infer<typeof connectAuth>;
