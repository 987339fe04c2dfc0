import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import {
  type CallId,
  type ConversationKey,
  type Seq,
  type TurnId,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { AcceptRequest, ConversationRow } from '../../../timeline/ports/store.ts';
import { delegatedOf } from '../../agent/turn-data.ts';
import { delegatedTextCharsMax, readPageMax } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';

/** The conversation in which another agent works on a call. The prompt at `seq` opened its turn. */
export type ChildConversation = {
  readonly key: ConversationKey;
  readonly id: string;
  readonly turn: TurnId;
  readonly seq: Seq;
};

/** What another agent works on: a call, or a step of the plan that the call runs. */
export type ChildWork = { readonly call: CallId; readonly step?: string | undefined };

/** Derived from its work, so that there is never a second one. */
export function childName(
  { tenant, project, user, id }: ConversationRow,
  { call, step }: ChildWork,
): string {
  const place = ['delegated', tenant, project, user, id, call];
  const whole = JSON.stringify(step === undefined ? place : [...place, step]);
  return `conv_${createHash('sha256').update(whole).digest('hex').slice(0, 20)}`;
}

/** Undefined: not found. */
export async function findChild(
  { engine, conversation }: WorkerSession,
  work: ChildWork,
): Promise<ChildConversation | undefined> {
  const { row } = conversation.lease;
  const { signal } = conversation;
  const id = childName(row, work);
  const found = await engine.store.find(row, id, { signal });
  if (!found) return undefined;
  const [first] = await engine.store.read(found.key, { after: toSeq(0), limit: 1, signal });
  const { data = null } = first ?? {};
  const lent = delegatedOf({ data });
  if (!first || lent?.call !== work.call || lent.step !== work.step) return undefined;
  return { key: found.key, id, turn: first.turn, seq: first.seq };
}

type ChildOptions = {
  readonly work: ChildWork;
  readonly agent: { readonly bundle: string; readonly agent: string };
  readonly text: string;
  /** For its `turn.open`. */
  readonly delegated: JsonObject;
};

/** Creates the conversation with the text as its prompt; a repetition changes nothing. Undefined: it was erased. */
export async function openChild(
  session: WorkerSession,
  { work, agent, text, delegated }: ChildOptions,
): Promise<ChildConversation | undefined> {
  const { engine, conversation } = session;
  const id = childName(conversation.lease.row, work);
  const path = paths.prompt(turnToChoose);
  const draft = { type: 'user.prompt', path, text, data: {} } as const;
  const turnData = {
    ...agent,
    text: text.slice(0, delegatedTextCharsMax).toWellFormed(),
    delegated,
  };
  const accepted = await accept(session, { id, message: id, draft, turnData });
  const { key, turn, seq, status } = accepted;
  if (key === undefined || turn === undefined || status === 'conflict') return undefined;
  if (status === 'started') engine.bus.announce(key, { head: seq, wake: true });
  return { key, id, turn, seq };
}

/** Stops the child as its user would; does nothing if it has ended. */
export async function stopChild(session: WorkerSession, work: ChildWork): Promise<void> {
  const child = await findChild(session, work);
  if (!child) return;
  const { id, key, turn } = child;
  const message = `${id}_stop`;
  const path = paths.external(turnToChoose, 'steer', message);
  const draft = { type: 'external.steer', path, text: '', data: {} } as const;
  const only = { expectTurn: turn, needsTurn: true, turnData: {} };
  const { status, seq } = await accept(session, { id, message, draft, ...only });
  if (status !== 'queued') return;
  session.engine.bus.announce(key, { head: seq, wake: true, steer: true });
}

/** All blocks of its turn so far. Undefined: the conversation was erased. */
export async function childBlocks(
  { engine, conversation }: WorkerSession,
  { key, id, turn, seq }: ChildConversation,
): Promise<readonly Block[] | undefined> {
  const { signal } = conversation;
  if (!(await engine.store.find(conversation.lease.row, id, { signal }))) return undefined;
  const found: Block[] = [];
  for (let after = seq - 1; ; ) {
    const page = await engine.store.read(key, { after: toSeq(after), limit: readPageMax, signal });
    found.push(...page.filter((block) => block.turn === turn));
    after = page.at(-1)?.seq ?? after;
    if (page.length < readPageMax || page.some((block) => isEnd(block, turn))) return found;
  }
}

function isEnd(block: Block, turn: TurnId): boolean {
  return block.type === 'turn.close' && block.turn === turn;
}

/** Whether its turn is still open. */
export async function isChildRunning(
  { engine, conversation }: WorkerSession,
  { id, turn }: ChildConversation,
): Promise<boolean> {
  const row = await engine.store.find(conversation.lease.row, id, { signal: conversation.signal });
  return row?.openTurn === turn;
}

type ChildEvent = Pick<AcceptRequest, 'message' | 'turnData' | 'expectTurn' | 'needsTurn'> & {
  readonly id: string;
  readonly draft: Pick<Draft, 'type' | 'path' | 'text' | 'data'>;
};

function accept(
  { engine, conversation }: WorkerSession,
  { id, message, draft, ...rest }: ChildEvent,
) {
  const { tenant, project, user } = conversation.lease.row;
  conversation.assertOwner();
  return engine.store.accept(
    {
      sender: { tenant, project, user },
      ...{ conversation: id, newConversation: id, message, digest: 'delegated' },
      events: [{ turn: turnToChoose, author: 'user', event: message, ...draft }],
      reactive: true,
      newTurn: toTurnId(engine.ids.next('turn')),
      ...rest,
    },
    { signal: conversation.signal },
  );
}

/** A decision of a person about a request of the child, as if it had been made there. A repetition changes nothing. */
export async function decideInChild(
  session: WorkerSession,
  { id, key, turn }: ChildConversation,
  decision: JsonObject & { readonly request: string },
): Promise<void> {
  const { request } = decision;
  const path = paths.approval(turnToChoose, 'decision', request);
  const draft = { type: 'approval.decision', path, data: decision } as const;
  const only = { expectTurn: turn, needsTurn: true, turnData: {} };
  const message = `${request}_decision`;
  const { status, seq } = await accept(session, { id, message, draft, ...only });
  if (status === 'queued') session.engine.bus.announce(key, { head: seq, wake: true });
}
