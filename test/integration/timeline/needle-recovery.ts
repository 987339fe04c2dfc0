import { emptyView, foldAll } from '../../../runtime/timeline/fold/fold.ts';
import { type ConversationKey, toTurnId } from '../../../runtime/timeline/ids.ts';
import { parsePath, paths } from '../../../runtime/timeline/paths.ts';
import type { Snippet } from '../../../runtime/timeline/ports/store.ts';
import { createPathReader } from '../../../runtime/tools/services/path-reader.ts';
import type { openHarness } from '../../runtime/engine/kit/harness.ts';
import type { Fact } from './needle-facts.ts';

type Desk = Awaited<ReturnType<typeof openHarness>>;

/** What somebody can do who sees one prompt: search by words, and read paths. */
export type Agent = {
  readonly prompt: string;
  search(words: string): Promise<readonly Snippet[]>;
  read(path: string): Promise<string>;
};

export async function agentOf(desk: Desk, key: ConversationKey): Promise<Agent> {
  const { store, blobs } = desk.engine;
  const { signal } = new AbortController();
  const sender = { tenant: 'dev', project: 'dev', user: 'ann' };
  const row = await store.find(sender, 'conv_test', { signal });
  const all = await desk.blocks();
  const view = foldAll(emptyView, all.slice((row?.windowSeq ?? 1) - 1));
  const reader = createPathReader({
    scope: sender,
    conversation: 'conv_test',
    key,
    view,
    store,
    blobs,
    signal,
  });
  return {
    prompt: desk.model.requests.findLast(({ role }) => role === 'decision')?.text ?? '',
    search: (text) =>
      store.search(sender, { text, targets: ['user', 'assistant', 'notes'], limit: 5 }, { signal }),
    read: async (path) => {
      const found = await reader.read(path);
      return found ? new TextDecoder().decode(await reader.bytes(found)) : '';
    },
  };
}

/** Reads until the value stands there, word for word; undefined if `readsMax` do not find it. */
export async function recover(
  agent: Agent,
  fact: Fact,
  readsMax: number,
): Promise<number | undefined> {
  if (agent.prompt.includes(fact.value)) return 0;
  const turn = turnIn(agent.prompt, fact) ?? (await agent.search(fact.key))[0]?.turn;
  if (turn === undefined) return undefined;
  const [straight] = straightTo(fact, turn);
  if (straight !== undefined) {
    return (await agent.read(straight)).includes(fact.value) ? 1 : undefined;
  }
  const index = await agent.read(paths.turnIndex(toTurnId(turn)));
  if (index.includes(fact.value)) return 1;
  for (const [tried, path] of pathsIn(index.split('\n'), fact).entries()) {
    if (tried + 2 > readsMax) return undefined;
    if ((await agent.read(path)).includes(fact.value)) return tried + 2;
  }
  return undefined;
}

/** The turn of the line that speaks of it. */
function turnIn(prompt: string, { key }: Fact): string | undefined {
  const line = prompt.split('\n').find((each) => each.includes(key));
  return /\b(?:turn_\w+|t\d+)\b/.exec(line ?? '')?.[0];
}

/** What somebody said has a path that follows from its turn. */
function straightTo({ kind }: Fact, turn: string): readonly string[] {
  if (kind === 'ask') return [paths.prompt(toTurnId(turn))];
  return kind === 'decision' ? [paths.completion(toTurnId(turn))] : [];
}

/** Rows of an index that are of the kind that is looked for, the ones that name it first. */
function pathsIn(index: readonly string[], { kind, key }: Fact): readonly string[] {
  const family = {
    number: 'tc',
    path: 'fi',
    rule: 'ar',
    followup: 'ar',
    ask: 'ar',
    decision: 'ar',
  }[kind];
  const rows = index.filter((row) => row.startsWith(`- ${family}:`));
  const named = rows.filter((row) => row.includes(key));
  return [...named, ...rows.filter((row) => !row.includes(key))].flatMap((row) => {
    const path = row.slice(2).split(' ')[0] ?? '';
    return parsePath(path) ? [path] : [];
  });
}
