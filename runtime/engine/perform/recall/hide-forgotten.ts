import { isJsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { BlockPath } from '../../../timeline/paths.ts';
import { shortTurn } from '../../../timeline/prune/short-turn.ts';
import { cacheBreak } from '../../../timeline/render/cache-break.ts';
import type { CallView, View } from '../../../timeline/view.ts';
import type { WorkerSession } from '../../session/session.ts';
import { existingFacts } from './existing-facts.ts';

const replacement = '[forgotten at the request of the user]';

/**
 * Hides calls of `memory.record` and `memory.retrieve` whose facts have been forgotten since, before the next prompt. True:
 * something was hidden, so plan again.
 */
export async function hideForgotten(session: WorkerSession): Promise<boolean> {
  const { conversation, turn } = session;
  const shown = callsWithFacts(conversation.view);
  if (shown.length === 0) return false;
  const ids = [...new Set(shown.flatMap((each) => each.ids))];
  const left = await existingFacts(session, ids);
  if (!left) return false;
  const paths = shown
    .filter((each) => each.ids.some((id) => !left.has(id)))
    .flatMap(({ call: { request, result } }) => [request.path, result?.path])
    .filter((path) => path !== undefined);
  if (paths.length === 0) return false;
  const { view } = conversation;
  const drafts = [...paths.map(hidden), ...shortenAgain(view, paths)].flatMap((draft): Draft[] => {
    const place = { turn: turn.id, author: 'system' } as const;
    return [{ ...draft, ...place }, cacheBreak({ ...place, cause: 'forget' })];
  });
  await conversation.append(drafts, { expectHead: view.head });
  return true;
}

type Change = Pick<Draft, 'type' | 'data'>;

function hidden(path: string): Change {
  return { type: 'view.hide', data: { path, replacement, cause: 'forget' } };
}

/** A pruned turn shows the beginning of each result: its text is made again. */
function shortenAgain(view: View, paths: readonly BlockPath[]): readonly Change[] {
  const after = new Map([...view.hidden, ...paths.map((path) => [path, replacement] as const)]);
  const pruned = view.turns.filter(({ id, blocks }) => {
    return view.pruned.has(id) && blocks.some(({ path }) => path && paths.includes(path));
  });
  if (pruned.length === 0) return [];
  const turns = pruned.map((each) => ({
    turn: each.id,
    text: shortTurn({ ...view, hidden: after }, each),
  }));
  const tokens = { tokens_before: 0, tokens_after: 0 };
  return [{ type: 'view.prune', data: { cause: 'forget', turns, paths: [], ...tokens } }];
}

type CallWithFacts = { readonly call: CallView; readonly ids: readonly string[] };

/** Calls that a prompt may show. */
function callsWithFacts({ turns, hidden }: View): readonly CallWithFacts[] {
  return turns
    .flatMap(({ rounds }) => rounds.flatMap(({ calls }) => calls))
    .filter(({ tool }) => tool === 'memory.record' || tool === 'memory.retrieve')
    .filter(({ result }) => result?.path !== undefined && !hidden.has(result.path))
    .map((call) => ({ call, ids: idsIn(call) }))
    .filter(({ ids }) => ids.length > 0);
}

function idsIn({ result }: CallView): readonly string[] {
  const data = isJsonObject(result?.data) ? result.data : {};
  const ret = isJsonObject(data['ret']) ? data['ret'] : {};
  const facts = Array.isArray(ret['facts']) ? ret['facts'] : [];
  return facts.flatMap((fact) =>
    isJsonObject(fact) && typeof fact['id'] === 'string' ? [fact['id']] : [],
  );
}
