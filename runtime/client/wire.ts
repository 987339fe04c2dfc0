import { z } from 'zod';

/** Characters of one message's text. */
export const textCharsMax = 32_000;
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

const payload = z
  .json()
  .refine(
    (value) => JSON.stringify(value).length <= payloadCharsMax,
    `more than ${payloadCharsMax} characters`,
  );

const bytes = z.union([z.base64(), z.instanceof(Uint8Array)], 'base64 text or binary');

const attachment = z
  .strictObject({
    name: z.string().min(1).max(1_000),
    mime: z.string().max(200).default(''),
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

/** `after`: a cursor, or `now`; absent: from the beginning. */
export const subscribeRequest = z.strictObject({
  conversation_id: id,
  after: z.string().max(300).optional(),
});

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
