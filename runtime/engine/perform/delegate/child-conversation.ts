import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import type { Accept, ConversationRow } from '../../../timeline/ports/store.ts';
import { delegatedOf } from '../../agent/turn-data.ts';
import { delegatedTextCharsMax, readPageMax } from '../../limits.ts';
import type { Visit } from '../../session/session.ts';

/** The conversation in which another agent works on a call. Its turn was opened by the prompt at `seq`. */
export type Child = {
  readonly key: number;
  readonly id: string;
  readonly turn: string;
  readonly seq: number;
};

/** The same for whoever works on the call, so that there is never a second one. */
export function childName({ tenant, project, user, id }: ConversationRow, call: string): string {
  const whole = JSON.stringify(['delegated', tenant, project, user, id, call]);
  return `conv_${createHash('sha256').update(whole).digest('hex').slice(0, 20)}`;
}

/** Undefined: there is none. */
export async function findChild(
  { engine, owned }: Visit,
  call: string,
): Promise<Child | undefined> {
  const { row } = owned.lease;
  const { signal } = owned;
  const id = childName(row, call);
  const found = await engine.store.find(row, id, { signal });
  if (!found) return undefined;
  const [first] = await engine.store.read(found.key, { after: 0, limit: 1, signal });
  const { data = null } = first ?? {};
  if (!first || delegatedOf({ data })?.call !== call) return undefined;
  return { key: found.key, id, turn: first.turn, seq: first.seq };
}

export type Opening = {
  readonly call: string;
  readonly agent: { readonly bundle: string; readonly agent: string };
  readonly input: JsonObject;
  /** Of its `turn.open`. */
  readonly delegated: JsonObject;
};

/** Makes the conversation and says the input in it; the same again changes nothing. Undefined: it was erased. */
export async function openChild(
  visit: Visit,
  { call, agent, input, delegated }: Opening,
): Promise<Child | undefined> {
  const { engine, owned } = visit;
  const id = childName(owned.lease.row, call);
  const text = promptOf(input);
  const path = paths.prompt('$turn');
  const said = { type: 'user.prompt', path, text, data: {} } as const;
  const turnData = {
    ...agent,
    text: text.slice(0, delegatedTextCharsMax).toWellFormed(),
    delegated,
  };
  const accepted = await accept(visit, { id, message: id, said, turnData });
  const { key, turn, seq, status } = accepted;
  if (key === undefined || turn === undefined || status === 'conflict') return undefined;
  if (status === 'started') {
    engine.bus.publish(key, [{ kind: 'head', head: seq }]);
    engine.bus.wake(key);
  }
  return { key, id, turn, seq };
}

/** As its user would; nothing where it has ended. */
export async function stopChild(visit: Visit, call: string): Promise<void> {
  const child = await findChild(visit, call);
  if (!child) return;
  const { id, key, turn } = child;
  const message = `${id}_stop`;
  const path = paths.external('$turn', 'steer', message);
  const said = { type: 'external.steer', path, text: '', data: {} } as const;
  const only = { expectTurn: turn, needsTurn: true, turnData: {} };
  const { status, seq } = await accept(visit, { id, message, said, ...only });
  if (status !== 'queued') return;
  const { bus } = visit.engine;
  bus.publish(key, [{ kind: 'head', head: seq }]);
  bus.wake(key);
  bus.steer(key, seq);
}

/** All that its turn has written so far, or undefined where that is gone. */
export async function blocksOf(
  { engine, owned }: Visit,
  { key, id, turn, seq }: Child,
): Promise<readonly Block[] | undefined> {
  const { signal } = owned;
  if (!(await engine.store.find(owned.lease.row, id, { signal }))) return undefined;
  const found: Block[] = [];
  for (let after = seq - 1; ; ) {
    const page = await engine.store.read(key, { after, limit: readPageMax, signal });
    found.push(...page.filter((block) => block.turn === turn));
    after = page.at(-1)?.seq ?? after;
    if (page.length < readPageMax || page.some((block) => isEnd(block, turn))) return found;
  }
}

function isEnd(block: Block, turn: string): boolean {
  return block.type === 'turn.close' && block.turn === turn;
}

/** Whether the turn is still worked on. */
export async function isAtWork({ engine, owned }: Visit, { id, turn }: Child): Promise<boolean> {
  const row = await engine.store.find(owned.lease.row, id, { signal: owned.signal });
  return row?.openTurn === turn;
}

type Saying = Pick<Accept, 'message' | 'turnData' | 'expectTurn' | 'needsTurn'> & {
  readonly id: string;
  readonly said: Pick<Draft, 'type' | 'path' | 'text' | 'data'>;
};

function accept({ engine, owned }: Visit, { id, message, said, ...rest }: Saying) {
  const { tenant, project, user } = owned.lease.row;
  owned.assertOwner();
  return engine.store.accept(
    {
      sender: { tenant, project, user },
      ...{ conversation: id, newConversation: id, message, digest: 'delegated' },
      events: [{ turn: '$turn', author: 'user', event: message, ...said }],
      reactive: true,
      newTurn: engine.ids.next('turn'),
      ...rest,
    },
    { signal: owned.signal },
  );
}

/** One text is said as it is, anything else as JSON. */
function promptOf(input: JsonObject): string {
  const values: readonly Json[] = Object.values(input);
  const [only] = values;
  const text = values.length === 1 && typeof only === 'string' ? only : '';
  return (text.trim() === '' ? JSON.stringify(input, null, 2) : text).toWellFormed();
}
