import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { escalationOf, waitOf } from '../../../../runtime/timeline/close/waits.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq, turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { ApprovalView, CallView } from '../../../../runtime/timeline/view.ts';
import { scope, write } from './messages.ts';
import type { World } from './world.ts';

const pauseMsMax = 9_000;
const { signal } = new AbortController();

/**
 * A user who decides and answers what a conversation waits for: sometimes twice, sometimes too late, sometimes never.
 */
export async function attend(
  world: World,
  conversation: string,
  over: () => boolean,
): Promise<void> {
  const { chance, clock, store } = world;
  while (!over()) {
    await clock.sleep(1_000 + chance.below(pauseMsMax), { signal });
    const row = await store.find(scope, conversation, { signal });
    if (row?.openTurn === undefined || chance.happens(0.3)) continue;
    const blocks = await store.read(row.key, { after: toSeq(0), limit: 100_000, signal });
    const turn = foldAll(emptyView, blocks).openTurn;
    const calls = turn?.rounds.at(-1)?.calls ?? [];
    await answerAll(world, conversation, calls);
    await decideAll(world, conversation, turn?.approvals ?? []);
    if (calls.length > 0) await interrupt(world, conversation);
  }
}

async function answerAll(world: World, conversation: string, calls: readonly CallView[]) {
  const times = world.chance.happens(0.2) ? 2 : 1;
  for (const call of calls) {
    for (let time = 0; time < times; time += 1) await answer(world, conversation, call);
  }
}

/** An earlier answer is valid, although the steer arrives before any round has read it. */
async function interrupt(world: World, conversation: string): Promise<void> {
  if (world.timing && world.chance.happens(0.3)) await steer(world, conversation);
}

async function steer(world: World, conversation: string): Promise<void> {
  const path = paths.external(turnToChoose, 'steer', world.ids.next('msg'));
  await write(world, conversation, { type: 'external.steer', path, text: 'Only this', data: {} });
}

async function decideAll(world: World, conversation: string, approvals: readonly ApprovalView[]) {
  for (const { request, closed } of approvals) {
    if (!closed) await decide(world, conversation, request);
  }
}

/** A question that is not about a call of this conversation: an agent that works for it asks. */
async function decide(world: World, conversation: string, { turn, data }: Block): Promise<void> {
  const { chance } = world;
  const request = isJsonObject(data) ? String(data['request']) : '';
  const path = paths.approval(turn, 'decision', request);
  const said = { request, allow: chance.happens(0.7), remember: 'once' };
  await write(world, conversation, { type: 'approval.decision', path, data: said });
}

async function answer(world: World, conversation: string, call: CallView): Promise<void> {
  const failure = escalationOf(call);
  const wait = failure ?? waitOf(call);
  if (!wait) return;
  const { chance } = world;
  const { turn } = call.request;
  if (wait.for === 'approval') {
    const remember = chance.one(['once', 'once', 'turn', 'conversation']);
    const request = failure ? `${call.call}_failed` : call.call;
    const data = { request, allow: chance.happens(0.7), remember };
    const path = paths.approval(turn, 'decision', request);
    await write(world, conversation, { type: 'approval.decision', path, data });
  } else if (wait.for === 'external') {
    const said: JsonObject = chance.happens(0.8)
      ? { ok: true, ret: 'here' }
      : { ok: false, error: { code: 'not_allowed', message: 'no' } };
    const path = paths.external(turn, 'result', call.call);
    const data = { call: call.call, ...said };
    await write(world, conversation, { type: 'external.result', path, data });
  }
}
