import { Fault } from '../../base/fault.ts';
import type { Draft } from '../../timeline/block.ts';
import type { AppendRequest, AppendResult } from '../../timeline/ports/append-request.ts';
import type { Lease } from '../../timeline/ports/store.ts';
import type { Engine } from '../ports/engine.ts';

export type AppendRules = Pick<
  AppendRequest,
  'asOf' | 'gate' | 'expectHead' | 'window' | 'dueInMs' | 'knownHead'
>;

type Owner = {
  readonly engine: Engine;
  readonly lease: Lease;
  readonly signal: AbortSignal;
};

/** Appends with the fence of the lease. Fault `LEASE_LOST` or `CONVERSATION_GONE`: nothing was written. */
export async function append(
  { engine, lease, signal }: Owner,
  blocks: readonly Draft[],
  { asOf, gate, expectHead, window, dueInMs, knownHead }: AppendRules,
): Promise<AppendResult> {
  const { key } = lease.row;
  const done = await engine.store.append(
    key,
    {
      fence: lease.fence,
      op: engine.ids.next('op'),
      blocks,
      ...(asOf === undefined ? {} : { asOf }),
      ...(gate === undefined ? {} : { gate }),
      ...(expectHead === undefined ? {} : { expectHead }),
      ...(window === undefined ? {} : { window }),
      ...(dueInMs === undefined ? {} : { dueInMs }),
      ...(knownHead === undefined ? {} : { knownHead }),
    },
    { signal },
  );
  if (done.status === 'fenced') throw new Fault('LEASE_LOST', { conversation: key });
  if (done.status === 'gone') throw new Fault('CONVERSATION_GONE', { conversation: key });
  return done;
}
