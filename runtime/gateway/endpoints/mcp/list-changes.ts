import type { ServerEvent } from '@modelcontextprotocol/server';
import { Scope } from '../../../base/scope.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { openFeed } from '../../feed/feed.ts';
import { startAt } from '../../feed/history.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import { toolsOf } from './mcp-server.ts';
import type { McpCaller } from './messages/caller.ts';
import { conversationPollMs, reloadPollMs } from './messages/limits.ts';
import { fileUri } from './messages/uris.ts';
import { promptsOf } from './prompts/prompts.ts';

export type ChangeListener = {
  changed(event: ServerEvent): void;
  /** Called when it would see the next change. */
  ready?(): void;
  /** The resources whose changes the client wants to know. */
  watched(): Promise<readonly string[]>;
  readonly signal: AbortSignal;
};

/** Tells what changes in the lists and resources of a client, until the signal fires or the endpoint is gone. */
export async function followChanges(caller: McpCaller, listener: ChangeListener): Promise<void> {
  await using scope = new Scope();
  const { parts, bundle, endpoint } = caller;
  const { signal } = listener;
  let before = listsOf(endpoint);
  let isFollowed = false;
  try {
    for (let polls = 0; ; polls += 1) {
      if (!isFollowed && polls % pollsPerSearch === 0) {
        isFollowed = await followFiles(caller, { ...listener, scope, isNew: polls > 0 });
        listener.ready?.();
      }
      await parts.deps.clock.sleep(reloadPollMs, { signal });
      const now = parts.deps.bundles.endpoint(bundle, endpoint.id);
      if (!now) return;
      if (now.caller.revision === before.revision) continue;
      const next = listsOf(now);
      await tellReload(listener, { before, next });
      before = next;
    }
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}

/** Each one asks the store. */
const pollsPerSearch = conversationPollMs / reloadPollMs;

/** Of one revision: only a reload changes what an endpoint lists. */
type Lists = ReturnType<typeof listsOf>;

function listsOf(endpoint: McpCaller['endpoint']) {
  const { revision } = endpoint.caller;
  const [tools, prompts] = [toolsOf(endpoint), promptsOf(endpoint)].map((list) =>
    JSON.stringify(list),
  );
  return { tools, prompts, revision };
}

async function tellReload(
  { changed, watched }: ChangeListener,
  { before, next }: { before: Lists; next: Lists },
): Promise<void> {
  if (next.tools !== before.tools) changed({ kind: 'tools_list_changed' });
  if (next.prompts !== before.prompts) changed({ kind: 'prompts_list_changed' });
  // A reloaded bundle may have other pages and skills.
  for (const uri of await watched()) {
    if (/^(ks|sk):/.test(uri)) changed({ kind: 'resource_updated', uri });
  }
}

/** `isNew`: the conversation did not exist when the client began to listen. */
type FileListener = ChangeListener & { readonly scope: Scope; readonly isNew: boolean };

/** New files of the session are new resources. False: its conversation does not exist yet. */
async function followFiles(
  { parts, sender, conversation }: McpCaller,
  { changed, watched, signal, scope, isNew }: FileListener,
): Promise<boolean> {
  const row = await parts.deps.store.find(sender, conversation, { signal });
  if (!row) return false;
  let telling: Promise<unknown> = Promise.resolve();
  const send = (envelope: WireEnvelope) => {
    if (envelope.type !== 'chat.files') return;
    changed({ kind: 'resources_list_changed' });
    const uris = urisIn(envelope, conversation);
    telling = telling.then(async () => {
      for (const uri of await watched()) {
        if (uris.has(uri)) changed({ kind: 'resource_updated', uri });
      }
    });
  };
  const sink = { send, ready: async () => void (await telling), end: () => undefined };
  scope.own(openFeed(parts.deps, row, { start: startAt(row, isNew ? undefined : 'now'), sink }));
  return true;
}

function urisIn({ data = {} }: WireEnvelope, conversation: string): ReadonlySet<string> {
  const files = Array.isArray(data['items']) ? data['items'].map(objectOf) : [];
  return new Set(files.map(({ path }) => fileUri(textOf(path), conversation)));
}
