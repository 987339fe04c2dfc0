import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../base/json.ts';
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

/** Derived from the call, so that there is never a second one. */
export function childName({ tenant, project, user, id }: ConversationRow, call: CallId): string {
  const whole = JSON.stringify(['delegated', tenant, project, user, id, call]);
  return `conv_${createHash('sha256').update(whole).digest('hex').slice(0, 20)}`;
}

/** Undefined: not found. */
export async function findChild(
  { engine, conversation }: WorkerSession,
  call: CallId,
): Promise<ChildConversation | undefined> {
  const { row } = conversation.lease;
  const { signal } = conversation;
  const id = childName(row, call);
  const found = await engine.store.find(row, id, { signal });
  if (!found) return undefined;
  const [first] = await engine.store.read(found.key, { after: toSeq(0), limit: 1, signal });
  const { data = null } = first ?? {};
  if (!first || delegatedOf({ data })?.call !== call) return undefined;
  return { key: found.key, id, turn: first.turn, seq: first.seq };
}

type ChildOptions = {
  readonly call: CallId;
  readonly agent: { readonly bundle: string; readonly agent: string };
  readonly input: JsonObject;
  /** For its `turn.open`. */
  readonly delegated: JsonObject;
};

/** Creates the conversation with the input as its prompt; a repetition changes nothing. Undefined: it was erased. */
export async function openChild(
  session: WorkerSession,
  { call, agent, input, delegated }: ChildOptions,
): Promise<ChildConversation | undefined> {
  const { engine, conversation } = session;
  const id = childName(conversation.lease.row, call);
  const text = promptOf(input);
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
export async function stopChild(session: WorkerSession, call: CallId): Promise<void> {
  const child = await findChild(session, call);
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

/** A single text is used as it is, anything else as JSON. */
function promptOf(input: JsonObject): string {
  const values: readonly Json[] = Object.values(input);
  const [only] = values;
  const text = values.length === 1 && typeof only === 'string' ? only : '';
  return (text.trim() === '' ? JSON.stringify(input, null, 2) : text).toWellFormed();
}
