/// <reference lib="dom" />
import { Refusal } from '../../../../client/index.ts';
import { fields, text } from '../../../../client/story/json-fields.ts';

export type UserSecret = {
  readonly id: string;
  readonly description: string;
  readonly set: boolean;
};

/** The secrets that the user can set for a bundle. Values are never read back. */
export async function listSecrets(bundle: string): Promise<readonly UserSecret[]> {
  const { items } = fields(await answerOf(addressOf(bundle)));
  return (Array.isArray(items) ? items : []).map((item) => {
    const { id, description, set } = fields(item);
    return { id: text(id), description: text(description), set: set === true };
  });
}

/** Rejects with the server's Refusal. */
export async function saveSecret(bundle: string, id: string, value: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ value });
  await answerOf(`${addressOf(bundle)}/${encodeURIComponent(id)}`, {
    method: 'PUT',
    headers,
    body,
  });
}

function addressOf(bundle: string): string {
  return `/api/me/secrets/${encodeURIComponent(bundle)}`;
}

async function answerOf(address: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(address, init);
  const body: unknown = await answer.json();
  if (answer.ok) return body;
  const { code, message } = fields(fields(body)['error']);
  throw new Refusal(
    text(code),
    text(message) || `the server answered with status ${answer.status}`,
  );
}
