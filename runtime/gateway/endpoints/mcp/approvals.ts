import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { McpCaller } from './messages/caller.ts';

const prefix = 'approval:';

/** The id of the request that asks the client. Undefined: its response has another id. */
export function requestIdOf(request: string): string {
  return `${prefix}${request}`;
}

export function requestNamed(id: unknown): string | undefined {
  return typeof id === 'string' && id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

/** An approval as an elicitation. Accepting it allows the call; for how long is the only field. */
export function elicitationOf({ title, tool, detail, remember }: JsonObject) {
  const choices = (Array.isArray(remember) ? remember : []).map(textOf);
  const properties =
    choices.length > 1
      ? { remember: { type: 'string' as const, title: 'Remember', enum: choices, default: 'once' } }
      : {};
  const texts = [textOf(title) || `Allow ${textOf(tool)}?`, textOf(detail)];
  const message = texts.filter((text) => text !== '').join('\n\n');
  return { message, requestedSchema: { type: 'object' as const, properties } };
}

const answer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({ remember: z.string().optional() }).nullish(),
});

/** Decides an approval. An answer that is not an acceptance denies the call; one that comes too late changes nothing. */
export async function decideApproval(
  { parts, sender, conversation, signal }: McpCaller,
  request: string,
  result: unknown,
): Promise<void> {
  const given = answer.safeParse(result);
  const allow = given.success && given.data.action === 'accept';
  const remember = given.success ? given.data.content?.remember : undefined;
  const key = createHash('sha256').update(`${conversation} ${request}`).digest('base64url');
  await parts.intake.take(
    sender,
    {
      ...{ conversation_id: conversation, message_id: `mcp_a_${key.slice(0, 32)}` },
      kind: 'approval.decision',
      payload: { request, allow, ...(allow && remember !== undefined ? { remember } : {}) },
    },
    { signal },
  );
}
