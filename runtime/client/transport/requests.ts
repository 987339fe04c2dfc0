import type { Json, JsonObject } from '../../base/json.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { ClientAccount, OwnProps, SecretEntry } from '../api/account.ts';
import type {
  BundleFacts,
  ClientMemory,
  ConversationFacts,
  ConversationPage,
  ConversationQuery,
  FactEntry,
} from '../api/client.ts';
import type { ClientContext } from './client-context.ts';
import { fetchJson, type Http } from './http.ts';

type OperationCall = { readonly bundle: string; readonly id: string; readonly input: Json };
type Answer = { readonly ok: true; readonly ret: Json };

/** Returns the result of an operation. A GET operation refuses POST before it does anything and is then called with GET. */
export async function callOperation(
  { http, scope }: Pick<ClientContext, 'http' | 'scope'>,
  { bundle, id, input }: OperationCall,
): Promise<Json> {
  const path = `/api/bundles/${scope}/${encodeURIComponent(bundle)}/operations/${encodeURIComponent(id)}`;
  try {
    const body = JSON.stringify(input);
    return (await fetchJson<Answer>(http, path, { method: 'POST', body })).ret;
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'wrong_method') throw error;
  }
  return (await fetchJson<Answer>(http, `${path}?${toQuery(input)}`)).ret;
}

/** Texts stay as they are, other values become JSON, null is left out, and a list repeats its key for each item. */
function toQuery(input: Json): URLSearchParams {
  const entries = Object.entries<Json>(Object(input)).flatMap(([key, value]) =>
    [value]
      .flat()
      .flatMap((one): [string, string][] =>
        one === null ? [] : [[key, typeof one === 'string' ? one : JSON.stringify(one)]],
      ),
  );
  return new URLSearchParams(entries);
}

type WireFact = Omit<FactEntry, 'conversation'> & { readonly conversation_id: string };
type Forgotten = { readonly forgotten: number };

/** The long-term memory of the user, over HTTP. */
export function createClientMemory(http: Http): ClientMemory {
  const path = '/api/me/memory';
  const remove = (at: string) => fetchJson<Forgotten>(http, at, { method: 'DELETE' });
  return {
    async list() {
      const { facts } = await fetchJson<{ facts: readonly WireFact[] }>(http, path);
      return facts.map(({ conversation_id: conversation, ...fact }) => ({ ...fact, conversation }));
    },
    async forget(id) {
      await remove(`${path}/${encodeURIComponent(id)}`);
    },
    async forgetAll({ conversation } = {}) {
      const query =
        conversation === undefined ? '' : `?conversation_id=${encodeURIComponent(conversation)}`;
      return (await remove(`${path}${query}`)).forgotten;
    },
  };
}

type ErasedUser = { readonly status: 'erased' | 'erasing' };

/** What the user sets for themselves, over HTTP. */
export function createClientAccount(http: Http): ClientAccount {
  const change = async (path: string, method: string, value?: JsonObject) => {
    await http(path, { method, ...(value && { body: JSON.stringify(value) }) });
  };
  return {
    async secrets(bundle) {
      const path = pathOf('secrets', bundle);
      return (await fetchJson<{ items: readonly SecretEntry[] }>(http, path)).items;
    },
    setSecret: (bundle, id, value) => change(pathOf('secrets', bundle, id), 'PUT', { value }),
    deleteSecret: (bundle, id) => change(pathOf('secrets', bundle, id), 'DELETE'),
    async props(bundle) {
      const { props, shared, schema } = await fetchJson<OwnProps>(http, pathOf('props', bundle));
      return { props, shared, schema };
    },
    setProps: (bundle, props) => change(pathOf('props', bundle), 'PUT', props),
    deleteProps: (bundle) => change(pathOf('props', bundle), 'DELETE'),
    async erase() {
      const { status } = await fetchJson<ErasedUser>(http, '/api/me', { method: 'DELETE' });
      return status;
    },
  };
}

function pathOf(...parts: readonly string[]): string {
  return `/api/me/${parts.map(encodeURIComponent).join('/')}`;
}

type BundleItem = Omit<BundleFacts, 'firstMessages' | 'modelChoices'> & {
  readonly first_messages?: BundleFacts['firstMessages'];
  readonly model_choices?: BundleFacts['modelChoices'];
};

export async function listBundles({
  http,
  scope,
}: Pick<ClientContext, 'http' | 'scope'>): Promise<readonly BundleFacts[]> {
  const path = `/api/bundles/${scope}`;
  const { items } = await fetchJson<{ items: readonly BundleItem[] }>(http, path);
  return items.map(({ first_messages: firstMessages, model_choices: modelChoices, ...facts }) => ({
    ...facts,
    ...(firstMessages && { firstMessages }),
    ...(modelChoices && { modelChoices }),
  }));
}

type Item = {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly last_activity_at: string;
  readonly pinned?: boolean;
  readonly active_turn_id?: string;
  readonly waits?: true;
  readonly forked_from?: { readonly conversation_id: string; readonly seq: number };
};
type Listed = { readonly items: readonly Item[]; readonly next_cursor?: string };

export async function listConversations(
  { http, scope }: ClientContext,
  { limit, q, state, cursor }: ConversationQuery,
): Promise<ConversationPage> {
  const query = new URLSearchParams({
    ...(limit !== undefined && { limit: String(limit) }),
    ...(q !== undefined && { q }),
    ...(state !== undefined && { state }),
    ...(cursor !== undefined && { cursor }),
  });
  const suffix = query.size === 0 ? '' : `?${query}`;
  const { items, next_cursor } = await fetchJson<Listed>(http, `/conversations/${scope}${suffix}`);
  return {
    items: items.map(toFacts),
    ...(next_cursor !== undefined && { nextCursor: next_cursor }),
  };
}

function toFacts({ id, title, forked_from: origin, ...item }: Item): ConversationFacts {
  return {
    ...{ id, title, createdAt: item.created_at, lastActivityAt: item.last_activity_at },
    pinned: item.pinned === true,
    working: item.active_turn_id !== undefined,
    waiting: item.waits === true,
    ...(origin && { forkedFrom: { conversation: origin.conversation_id, seq: origin.seq } }),
  };
}
