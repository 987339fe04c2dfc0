import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  noTurn,
  toConversationKey,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { AppendRequest } from '../../../runtime/timeline/ports/append-request.ts';
import type {
  AcceptRequest,
  Lease,
  Sender,
  TimelineStore,
} from '../../../runtime/timeline/ports/store.ts';

export type StoreUnderTest = {
  readonly store: TimelineStore;
  /** Lets the store's clock go on by `ms`: a manual clock is moved, a database is waited for. */
  pass(ms: number): Promise<void>;
};

export const signal = new AbortController().signal;
export const longMs = 60_000;

/** A sender whom no other test knows. */
export function newSender(user = 'ada'): Sender {
  return { tenant: randomIds.next('msg'), project: 'demo', user };
}

export function prompt(text: string): Draft {
  const path = 'ar:$turn.user.prompt';
  return { type: 'user.prompt', turn: turnToChoose, author: 'user', path: toBlockPath(path), text };
}

export function followup(text: string, kind = 'followup'): Draft {
  const path = `ar:$turn.external.${kind}.m`;
  return {
    type: `external.${kind}`,
    turn: turnToChoose,
    author: 'user',
    path: toBlockPath(path),
    text,
  };
}

/** A prompt with a file, with what they are called if they join a turn. */
export function promptWithFile(text: string, message = randomIds.next('msg')) {
  const file: Draft = {
    type: 'user.attachment',
    turn: turnToChoose,
    author: 'user',
    event: message,
    path: toBlockPath('fi:$turn.user.attachments/a.csv'),
  };
  const path = toBlockPath(`ar:$turn.external.followup.${message}`);
  const joinedFile = toBlockPath(`fi:$turn.external.followup.attachments/${message}/a.csv`);
  return {
    message,
    events: [
      { ...prompt(text), event: message, joining: { type: 'external.followup', path } },
      { ...file, joining: { type: 'user.attachment', path: joinedFile } },
    ],
  } as const satisfies Partial<AcceptRequest>;
}

export function request(sender: Sender, over: Partial<AcceptRequest> = {}): AcceptRequest {
  return {
    sender,
    newConversation: randomIds.next('conv'),
    message: randomIds.next('msg'),
    digest: 'd1',
    events: [prompt('hello')],
    reactive: true,
    newTurn: toTurnId(randomIds.next('turn')),
    turnData: { bundle: 'b', agent: 'a' },
    ...over,
  };
}

export function append(lease: Lease, over: Partial<AppendRequest> = {}): AppendRequest {
  const op = randomIds.next('op');
  return { fence: lease.fence, op, blocks: [thought(lease)], ...over };
}

export function thought({ row }: Lease, text = 'hm'): Draft {
  return { type: 'react.thinking', turn: row.openTurn ?? noTurn, author: 'agent', text };
}

export function close({ row }: Lease): Draft {
  return { type: 'turn.close', turn: row.openTurn ?? noTurn, author: 'system', data: {} };
}

/** A conversation with one prompt in an open turn, and the lease on it. */
export async function started(store: TimelineStore, sender = newSender()) {
  const accepted = await store.accept(request(sender), { signal });
  const { key, conversation, turn } = accepted;
  if (key === undefined || turn === undefined) throw new Error('the prompt was not accepted');
  return { sender, key, conversation, turn, lease: await own(store, key) };
}

export async function own(
  store: TimelineStore,
  key: ConversationKey,
  ttlMs = longMs,
): Promise<Lease> {
  const lease = await store.acquire(key, { worker: 'w', ttlMs, signal });
  if (lease === undefined) throw new Error('the lease is held');
  return lease;
}

export async function log(store: TimelineStore, key = toConversationKey(0)) {
  return await store.read(key, { after: toSeq(0), limit: 1_000, signal });
}
