import fc from 'fast-check';
import type { Draft } from '../../../runtime/timeline/block.ts';
import {
  type TurnId,
  toCallId,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { AppendRequest } from '../../../runtime/timeline/ports/append-request.ts';
import type {
  AcceptRequest,
  ConversationRow,
  ForkResult,
  Lease,
  TimelineStore,
} from '../../../runtime/timeline/ports/store.ts';
import { longMs, signal } from './kit.ts';

/** One step of a random history. Indices are taken modulo what there is, so every history can be performed. */
export type Command =
  | { kind: 'accept'; conversation: number; message: number; user: string; body: AcceptBody }
  | { kind: 'append'; conversation: number; fence: number; op: number; body: AppendBody }
  | { kind: 'fork'; conversation: number; back: number; into: number; user: string }
  | { kind: 'erase'; conversation: number; user: string; isRemoved: boolean }
  | { kind: 'acquire' | 'sweep'; conversation: number; ttlMs: number }
  | { kind: 'renew' | 'release'; conversation: number; fence: number; handOver: boolean };
type AcceptBody = Pick<AcceptRequest, 'digest' | 'events' | 'reactive' | 'needsTurn'> & {
  /** The type of a prompt when it joins an open turn; undefined: the same. */
  readonly joining: string | undefined;
  readonly expect: 'nothing' | 'open' | 'stale';
};
type AppendBody = Pick<AppendRequest, 'blocks'> & {
  /** Distances back from the head. */
  readonly asOf?: number | undefined;
  readonly expectHead?: number | undefined;
  readonly gate?: number | undefined;
  readonly window?: number | undefined;
  readonly dueInMs?: number | undefined;
  readonly knownHead?: number | undefined;
};

/** The last two are often forks. */
const conversation = fc.constantFrom(0, 0, 1, 1, 2, 3);
/** How many take-overs ago the writer had the lease. */
const fence = fc.constantFrom(0, 0, 0, 0, 1);
const ttlMs = fc.constantFrom(0, longMs);
const text = fc.string({ unit: 'binary', maxLength: 12 });

const said = toBlockPath('ar:$turn.joined');
const event = fc
  .record({
    type: fc.constantFrom('user.prompt', 'external.followup', 'external.steer', 'feedback'),
    text,
    path: fc.constantFrom(...['ar:$turn.said', 'ar:$turn.$turn'].map(toBlockPath)),
  })
  .map((draft): Draft => ({ ...draft, turn: turnToChoose, author: 'user' }));

const block = fc
  .record({
    type: fc.constantFrom(
      'react.thinking',
      'round.close',
      'view.compact',
      'turn.close',
      'turn.open',
      'react.tool.result',
    ),
    turn: fc.constantFrom(
      ...['turn_open', 'turn_open', 'turn_open', 'turn_1', 'turn_2'].map(toTurnId),
    ),
    call: fc.constantFrom(...['tc_1', 'tc_2', 'tc_3'].map(toCallId)),
    data: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
  })
  .map((draft): Draft => ({ ...draft, author: 'agent' }));

const accept = fc.record({
  kind: fc.constant('accept' as const),
  conversation,
  message: fc.nat({ max: 8 }),
  user: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
  body: fc.record({
    digest: fc.constantFrom('d1', 'd1', 'd2'),
    events: fc.array(event, { minLength: 1, maxLength: 3 }),
    reactive: fc.boolean(),
    joining: fc.constantFrom(undefined, 'external.followup', 'external.steer'),
    needsTurn: fc.boolean(),
    expect: fc.constantFrom('nothing', 'nothing', 'open', 'stale'),
  }),
});

const append = fc.record({
  kind: fc.constant('append' as const),
  conversation,
  fence,
  op: fc.nat({ max: 30 }),
  body: fc.record({
    blocks: fc.array(block, { maxLength: 3 }),
    asOf: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    expectHead: fc.option(fc.nat({ max: 1 }), { nil: undefined }),
    gate: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    window: fc.option(fc.nat({ max: 5 }), { nil: undefined, freq: 2 }),
    dueInMs: fc.constantFrom(undefined, undefined, 0, longMs),
    knownHead: fc.constantFrom(undefined, 0, 0, 1, 2, 9, -1),
  }),
});

const fork = fc.record({
  kind: fc.constant('fork' as const),
  conversation,
  back: fc.nat({ max: 8 }),
  into: fc.constantFrom(2, 3),
  user: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
});

const erase = fc.record({
  kind: fc.constant('erase' as const),
  conversation,
  user: fc.constantFrom('ada', 'ada', 'bob'),
  isRemoved: fc.boolean(),
});

const claim = fc.record({
  kind: fc.constantFrom('acquire' as const, 'sweep' as const),
  conversation,
  ttlMs,
});
const keep = fc.record({
  kind: fc.constantFrom('renew' as const, 'release' as const),
  conversation,
  fence,
  handOver: fc.boolean(),
});

export const history: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { arbitrary: accept, weight: 3 },
    { arbitrary: append, weight: 4 },
    { arbitrary: claim, weight: 2 },
    { arbitrary: fork, weight: 1 },
    { arbitrary: keep, weight: 1 },
    { arbitrary: erase, weight: 1 },
  ),
  { minLength: 20, maxLength: 60 },
);

/** Performs a history and tells everything that the store said, without what may differ: keys and times. */
export async function perform(
  store: TimelineStore,
  commands: readonly Command[],
  tenant: string,
): Promise<readonly unknown[]> {
  const scope = { tenant, project: 'p' };
  const idOf = (index: number) => `conv_${index}`;
  const said: unknown[] = [];
  const fences = new Map<string, number>();
  for (const [step, command] of commands.entries()) {
    const row = await store.find(scope, idOf(command.conversation), { signal });
    const id = idOf(command.conversation);
    const context = { store, scope, step, id, row, fence: fences.get(id) ?? 0 };
    const answer = await performOne(command, context).catch(nameOf);
    for (const lease of leasesIn(answer)) fences.set(lease.row.id, lease.fence);
    said.push(answer);
  }
  for (const index of [0, 1, 2, 3]) {
    const row = await store.find(scope, idOf(index), { signal });
    said.push(row, row && (await store.read(row.key, { after: toSeq(0), limit: 1_000, signal })));
  }
  return said.map(comparable);
}

type Context = {
  store: TimelineStore;
  scope: { tenant: string; project: string };
  step: number;
  id: string;
  row: Awaited<ReturnType<TimelineStore['find']>>;
  /** Of the latest lease. */
  fence: number;
};

async function performOne(command: Command, context: Context): Promise<unknown> {
  const { store, scope, row } = context;
  if (command.kind === 'accept') return await store.accept(toAccept(command, context), { signal });
  if (command.kind === 'sweep') {
    const options = { worker: 'w', limit: 10_000, ttlMs: command.ttlMs, signal };
    const leases = await store.sweep(options);
    return leases
      .filter((lease) => lease.row.tenant === scope.tenant)
      .sort((a, b) => placeOf(a).localeCompare(placeOf(b)));
  }
  if (command.kind === 'erase') return await eraseIt(command, context);
  if (row === undefined) return undefined;
  if (command.kind === 'fork') return await forkFrom(command, row, store);
  const stale = 'fence' in command ? context.fence - command.fence : 0;
  switch (command.kind) {
    case 'append':
      return await store.append(row.key, toAppend(command, row, stale), { signal });
    case 'acquire':
      return await store.acquire(row.key, { worker: 'w', ttlMs: command.ttlMs, signal });
    case 'renew':
      return await store.renew(row.key, { fence: stale, ttlMs: longMs, signal });
    case 'release':
      return await store.release(row.key, { fence: stale, handOver: command.handOver, signal });
  }
}

function placeOf({ row }: Lease): string {
  return `${row.id} ${row.user}`;
}

/** What is left is removed now or, with luck, after a later one. */
async function eraseIt(
  { user, isRemoved }: Command & { kind: 'erase' },
  { store, scope, id }: Context,
): Promise<unknown> {
  const { status } = await store.erase({ ...scope, user }, id, { signal });
  const { erasures } = store;
  const due = isRemoved ? await erasures.claim({ limit: 10_000, ttlMs: 0, signal }) : [];
  for (const each of due) {
    while (await erasures.remove(each, { signal }));
    await erasures.settle(each, { settleMs: 0, signal });
  }
  return { status };
}

function forkFrom(
  { back, into, user }: Command & { kind: 'fork' },
  { tenant, project, id, head }: ConversationRow,
  store: TimelineStore,
): Promise<ForkResult> {
  const forking = { conversation: id, at: toSeq(head - back), newConversation: `conv_${into}` };
  return store.fork({ tenant, project, user }, forking, { signal });
}

function toAccept(
  command: Command & { kind: 'accept' },
  { scope, step, id, row }: Context,
): AcceptRequest {
  const { expect, joining, ...body } = command.body;
  const expectTurn = expect === 'open' ? row?.openTurn : toTurnId('turn_stale');
  return {
    ...body,
    sender: { ...scope, user: command.user },
    conversation: id,
    newConversation: id,
    message: `msg_${command.message}`,
    digest: `${body.digest} ${body.events.length}`,
    newTurn: toTurnId(`turn_step_${step}`),
    turnData: { step },
    events: body.events.map((event) => ({
      ...event,
      ...(joining && event.type === 'user.prompt' && { joining: { type: joining, path: said } }),
    })),
    ...(expect !== 'nothing' && expectTurn !== undefined && { expectTurn }),
  };
}

function toAppend(
  { op, body }: Command & { kind: 'append' },
  { head, openTurn }: { head: number; openTurn: TurnId | undefined },
  wanted: number,
): AppendRequest {
  const { blocks, asOf, expectHead, gate, window, dueInMs, knownHead } = body;
  const named = blocks.map((each) =>
    each.turn === 'turn_open' && openTurn !== undefined ? { ...each, turn: openTurn } : each,
  );
  return {
    fence: wanted,
    op: `op_${op}`,
    blocks: named,
    ...(asOf !== undefined && { asOf: toSeq(head - asOf) }),
    ...(expectHead !== undefined && { expectHead: toSeq(head - expectHead) }),
    ...(gate !== undefined && { gate }),
    ...(window !== undefined && { window: toSeq(head - window + 2) }),
    ...(dueInMs !== undefined && { dueInMs }),
    ...(knownHead !== undefined && { knownHead: toSeq(head - knownHead) }),
  };
}

function leasesIn(answer: unknown): readonly Lease[] {
  const all: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return all.filter(
    (each): each is Lease => typeof each === 'object' && each !== null && 'attempts' in each,
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

const varying = new Set(['key', 'at', 'createdAt', 'lastAt', 'tenant']);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !varying.has(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, comparable(each)]));
}
