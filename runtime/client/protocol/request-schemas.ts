import { z } from 'zod';
import { isJsonObject, isPlainJson, type Json, type JsonObject } from '../../base/json.ts';
import { textCharsMax } from './limits.ts';

/** Characters of a payload as JSON. */
export const payloadCharsMax = 64_000;
/** Rounds that a message may ask for. Its agent has its own limit. */
const maxRoundsMax = 1_000;
/** Files of one message. */
export const attachmentsMax = 20;

/** Ids become parts of paths and file names, so they contain no characters with a meaning in paths. */
export const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'an id must have 1 to 128 letters, digits, _ or -');

/** Name of a user, as the token issuer gives it. */
export const userName = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (name) => name.isWellFormed() && !/\p{Cc}/u.test(name),
    'must not contain control characters',
  );

export const messageId = id;

const kind = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'a kind must have 1 to 64 characters of a-z, 0-9, _, . and -');

/** Not `z.json()`, which takes a third of a second for a payload of this size. */
const payload = z
  .custom<Json>((value) => isPlainJson(value, payloadCharsMax), 'must be JSON')
  .refine(
    (value) => JSON.stringify(value).length <= payloadCharsMax,
    `must have at most ${payloadCharsMax} characters`,
  );

/** One pass over several MiB of text. Zod's own check takes a hundred times longer. */
const base64 = z.stringFormat(
  'base64',
  (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
);
const bytes = z.union([base64, z.instanceof(Uint8Array)], 'must be base64 text or binary data');

/** `type/subtype` with optional parameters, in printable ASCII, because it becomes a header value. */
const mimePattern = /^[\w.+-]+\/[\w.+-]+(?: *;[\x20-\x7e]*)?$/;
/** MIME type of a file as given by its sender; empty if unknown. */
export const mime = z
  .string()
  .max(200)
  .refine(
    (text) => text === '' || isMime(text),
    'mime must have the form type/subtype, such as text/csv',
  )
  .default('');

export function isMime(text: string): boolean {
  return mimePattern.test(text);
}

const attachment = z
  .strictObject({
    name: z.string().min(1).max(1_000),
    mime,
    data: bytes.optional(),
    upload_id: id.optional(),
  })
  .refine(
    ({ data, upload_id }) => (data === undefined) !== (upload_id === undefined),
    'either data or upload_id is required',
  );

/** Functions of one message. */
export const clientToolsMax = 128;
const jsonObject = z
  .custom<JsonObject>((value) => isPlainJson(value, payloadCharsMax), 'must be JSON')
  .refine(isJsonObject, 'must be an object');

/** A function that the sender performs. `parameters` is the JSON Schema of its input. */
const clientTool = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a name must have 1 to 64 letters, digits, _ or -'),
  description: z.string().max(textCharsMax).exactOptional(),
  parameters: jsonObject.exactOptional(),
});

const clientTools = z
  .array(clientTool)
  .max(clientToolsMax)
  .refine(
    (tools) => new Set(tools.map(({ name }) => name)).size === tools.length,
    'the names must be different',
  )
  .refine(
    (tools) => JSON.stringify(tools).length <= payloadCharsMax,
    `must have at most ${payloadCharsMax} characters`,
  );

/** Domains of one message. */
export const webDomainsMax = 100;
const placeName = z.string().min(1).max(200);
export const webDomain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a host name in lower case, such as example.org');

export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be the two letters of a country, such as DE');

/** What web searches of a turn look for. */
const webSearch = z.strictObject({
  size: z.enum(['small', 'medium', 'large']).exactOptional(),
  location: z
    .strictObject({
      country: countryCode.exactOptional(),
      region: placeName.exactOptional(),
      city: placeName.exactOptional(),
      timezone: placeName.exactOptional(),
    })
    .exactOptional(),
  /** Hosts, with their subdomains. */
  domains: z.array(webDomain).min(1).max(webDomainsMax).exactOptional(),
});

const dispatchUrlCharsMax = 2_000;

/** What the sender wants of the turn that the message opens, within what its agent allows. */
export const messageOptions = z.strictObject({
  max_rounds: z.int().min(0).max(maxRoundsMax).exactOptional(),
  exec: z.boolean().exactOptional(),
  /** `provider:name`, out of those that the agent lets users choose. */
  model: z.string().min(1).max(300).exactOptional(),
  /** `false`: the turn has no `web_tools.*`. */
  web_search: z.union([z.literal(false), webSearch], 'must be false or an object').exactOptional(),
  tools: clientTools.exactOptional(),
  /** Address that performs calls of `tools`, from the list of the operator. */
  dispatch_url: z
    .url({ protocol: /^https?$/ })
    .max(dispatchUrlCharsMax)
    .exactOptional(),
  /** JSON Schema of the structured output of the turn. */
  output: jsonObject
    .refine(
      (schema) => JSON.stringify(schema).length <= payloadCharsMax,
      `must have at most ${payloadCharsMax} characters`,
    )
    .exactOptional(),
});

/** Every message from a client. `kind` is `prompt`, `followup`, `steer`, or a kind that the bundle declares. */
export const chatMessage = z.strictObject({
  conversation_id: id.optional(),
  message_id: id,
  kind: kind.default('prompt'),
  text: z.string().max(textCharsMax).optional(),
  payload: payload.optional(),
  attachments: z.array(attachment).max(attachmentsMax).optional(),
  options: messageOptions.optional(),
  bundle_id: id.optional(),
  agent_id: id.optional(),
  target_turn_id: id.optional(),
  expected_turn_id: id.optional(),
});

export type ChatMessage = z.infer<typeof chatMessage>;
export type ChatAttachment = z.infer<typeof attachment>;

const cursor = z.string().min(1, 'must be a cursor; leave it out to begin at the start').max(300);

/** Past turns per request. */
export const tailTurnsMax = 200;
export const tail = z.int().min(1).max(tailTurnsMax);

/**
 * `after`: a cursor, or `now`. `tail`: the number of latest turns. Neither: from the beginning. `before`: only the events up
 * to that cursor.
 */
export const subscribeRequest = z
  .strictObject({
    conversation_id: id,
    after: cursor.optional(),
    tail: tail.optional(),
    before: cursor.optional(),
  })
  .refine(
    ({ after, tail: turns }) => after === undefined || turns === undefined,
    'use either after or tail',
  )
  .refine(
    ({ before, tail: turns }) => before === undefined || turns !== undefined,
    'before requires tail',
  );

export const conversationRequest = z.strictObject({ conversation_id: id });
export const listRequest = z.strictObject({});

export const recallRequest = z.strictObject({ conversation_id: id, event_id: id });

/** The credentials of a socket, or of a request in its headers. */
export const connectAuth = z.object({
  token: z.string().max(10_000).optional(),
  tenant: id.optional(),
  project: id.optional(),
  user: id.optional(),
});

export type ConnectAuth = z.infer<typeof connectAuth>;
