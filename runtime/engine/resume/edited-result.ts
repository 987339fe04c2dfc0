import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { toResultDraft } from '../../tools/results/result-draft.ts';
import type { OpenLog } from '../inspect/open-log.ts';
import { editLeaseMs } from '../limits.ts';
import type { Engine } from '../ports/engine.ts';

type Edit = {
  readonly log: Pick<OpenLog, 'row' | 'signal'>;
  readonly block: Block;
  readonly text: string;
};

/**
 * Forks right before the result of a call, writes another result there, and lets the turn go on. The two blocks need the
 * lease of the fork; they are written before any worker is woken. Refusal `busy` if a worker was faster.
 */
export async function continueWithResult(
  deps: Pick<Engine, 'store' | 'ids' | 'bus' | 'blobs'>,
  { log, block, text }: Edit,
): Promise<ConversationRow> {
  const { store, ids, bus } = deps;
  const { row, signal } = log;
  const { tenant, project, user } = row;
  const fork = await store.fork(
    { tenant, project, user },
    { conversation: row.id, at: toSeq(block.seq - 1), newConversation: ids.next('conv') },
    { signal },
  );
  if (fork.status !== 'forked') throw new Refusal('not_found', `${row.id} cannot be forked`);
  const { key } = fork.row;
  const worker = ids.next('worker');
  const lease = await store.acquire(key, { worker, ttlMs: editLeaseMs, signal });
  if (lease?.row.openTurn !== block.turn)
    throw new Refusal('busy', 'a worker has closed the turn of the fork already; try again');
  const blocks = [resumption(row.id, block), await resultDraft(deps, { log, block, text })];
  const append = { fence: lease.fence, op: ids.next('op'), blocks };
  const { status } = await store.append(key, append, { signal });
  await store.release(key, { fence: lease.fence, handOver: true, signal });
  if (status !== 'ok') throw new Refusal('busy', 'a worker has taken the fork; try again');
  bus.wake(key);
  return fork.row;
}

function resumption(conversation: string, { seq, turn }: Block): Draft {
  const edited = { conversation, block: seq };
  return { type: 'turn.resume', turn, author: 'system', data: { edited } };
}

/** The model reads the text as it is; programs get it as JSON where it is JSON. */
async function resultDraft(
  { blobs }: Pick<Engine, 'blobs'>,
  { log, block, text }: Edit,
): Promise<Draft> {
  const { call, turn } = block;
  if (call === undefined) throw new Refusal('invalid_input', `block ${block.seq} names no call`);
  const ret = jsonIn(text);
  const place = { tenant: log.row.tenant, turn, call };
  return await toResultDraft(place, { result: { ok: true, ret }, text }, blobs);
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
