import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../base/json.ts';
import { toTurnId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import { changesIn, type Fields, fieldsOf } from './input-form.ts';
import type { McpCaller } from './messages/caller.ts';

const prefix = 'approval:';

/** The request that asks the user of a client. */
export function elicitationRequest(caller: McpCaller, approval: JsonObject): object {
  const id = `${prefix}${textOf(approval['request'])}`;
  const params = elicitationOf(caller, approval);
  return { jsonrpc: '2.0', id, method: 'elicitation/create', params };
}

/** The approval that a response answers. Undefined: it answers another request. */
export function requestNamed(id: unknown): string | undefined {
  return typeof id === 'string' && id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

/** An approval as an elicitation. Accepting it allows the call; the fields are its arguments, and for how long. */
export function elicitationOf(caller: McpCaller, approval: JsonObject) {
  const { title, tool, detail, remember } = approval;
  const choices = (Array.isArray(remember) ? remember : []).map(textOf);
  const properties: Fields = {
    ...argumentFields(caller, approval),
    ...(choices.length > 1
      ? { remember: { type: 'string', title: 'Remember', enum: choices, default: 'once' } }
      : {}),
  };
  const texts = [textOf(title) || `Allow ${textOf(tool)}?`, textOf(detail)];
  const message = texts.filter((text) => text !== '').join('\n\n');
  return { message, requestedSchema: { type: 'object' as const, properties } };
}

/** Of a tool of the endpoint: clients have its schema anyway. The name `remember` belongs to the approval. */
function argumentFields({ endpoint }: McpCaller, { kind, tool, input }: JsonObject): Fields {
  const spec = kind === undefined ? endpoint.tools.find(({ id }) => id === tool) : undefined;
  if (!spec) return {};
  const { remember: _, ...fields } = fieldsOf(spec.parameters, objectOf(input));
  return fields;
}

const content = z.object({ remember: z.string().optional() }).catchall(z.custom<Json>());
const answer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: content.nullish(),
});

/** Decides an approval. An answer that is not an acceptance denies the call; one that comes too late changes nothing. */
export async function decideApproval(
  caller: McpCaller,
  request: string,
  result: unknown,
): Promise<void> {
  const { parts, sender, conversation, signal } = caller;
  const given = answer.safeParse(result);
  const allow = given.success && given.data.action === 'accept';
  const { remember, ...values } = (given.success && given.data.content) || {};
  const input = allow ? await changedInput(caller, request, values) : undefined;
  const key = createHash('sha256').update(`${conversation} ${request}`).digest('base64url');
  await parts.intake.take(
    sender,
    {
      ...{ conversation_id: conversation, message_id: `mcp_a_${key.slice(0, 32)}` },
      kind: 'approval.decision',
      payload: {
        ...{ request, allow },
        ...(allow && remember !== undefined ? { remember } : {}),
        ...(input === undefined ? {} : { input }),
      },
    },
    { signal },
  );
}

/** The whole input with what the person has changed. Undefined: nothing. */
async function changedInput(
  caller: McpCaller,
  request: string,
  values: JsonObject,
): Promise<JsonObject | undefined> {
  const { parts, sender, conversation, signal } = caller;
  const { store } = parts.deps;
  const row = await store.find(sender, conversation, { signal });
  if (row?.openTurn === undefined) return undefined;
  const path = paths.approval(toTurnId(row.openTurn), 'request', request);
  const approval = objectOf((await store.atPath(row.key, path, { signal }))?.data);
  const changes = changesIn(argumentFields(caller, approval), values);
  return changes && { ...objectOf(approval['input']), ...changes };
}
