// proves: house.branded-ids

import type { Block as PublicBlock } from 'timeloom/sdk';
import { type RoundPlace, streamName } from '../../runtime/engine/live/live-stream.ts';
import type { Publisher } from '../../runtime/engine/live/publisher.ts';
import type { Bus, DeltaFrame } from '../../runtime/engine/ports/bus.ts';
import type { Block, Draft } from '../../runtime/timeline/block.ts';
import {
  type CallId,
  type ConversationKey,
  noTurn,
  type Seq,
  type StreamName,
  type TurnId,
  toCallId,
  toSeq,
  toTurnId,
} from '../../runtime/timeline/ids.ts';
import { type BlockPath, formatPath, type Path, paths } from '../../runtime/timeline/paths.ts';
import type { AppendRequest } from '../../runtime/timeline/ports/append-request.ts';
import type {
  AcceptRequest,
  ConversationRow,
  JournalUpdate,
  TimelineStore,
} from '../../runtime/timeline/ports/store.ts';
import { shortNames, storedPath, turnIdOf } from '../../runtime/timeline/short-names.ts';
import type { View } from '../../runtime/timeline/view.ts';
import type { CallContext } from '../../runtime/tools/ports/tool.ts';

/** Ids of one kind, and plain strings, are not accepted where an id of another kind belongs. */
export function turns(block: Block, view: View, text: string): readonly string[] {
  const turn: TurnId = block.turn;
  const draft: Draft = { type: 'react.note', turn: toTurnId(text), author: 'agent' };
  // @ts-expect-error a plain string is not the id of a turn
  const plain: Draft = { ...draft, turn: text };
  // @ts-expect-error a conversation is not a turn
  const foreign: Draft = { ...draft, turn: block.conversation };
  // @ts-expect-error the message id of an event is not a turn
  const event: Pick<AcceptRequest, 'newTurn'> = { newTurn: block.event ?? '' };
  // @ts-expect-error turn and call are swapped
  paths.result(block.call ?? '', turn);
  // @ts-expect-error a short name is not an id
  paths.turnIndex(shortNames(view).turn(turn));
  // @ts-expect-error the short name may be unknown
  paths.turnIndex(turnIdOf(view, 't3'));
  // @ts-expect-error a path does not name the turn that was pruned
  view.pruned.get(block.path ?? '');
  return [turn, noTurn, plain.turn, foreign.turn, event.newTurn];
}

export function calls(block: Block, path: Path, update: JournalUpdate): readonly string[] {
  const call: CallId = toCallId('tc_1');
  // @ts-expect-error a turn is not a call
  const turn: Draft = { type: 'react.notes', turn: block.turn, author: 'agent', call: block.turn };
  // @ts-expect-error the id that a program gave to its call is not the id of a call
  const update1: JournalUpdate = { ...update, program: update.begun[0]?.id ?? '' };
  // @ts-expect-error the call of a path may be a short name
  const named: CallId = path.family === 'tc' ? path.call : call;
  // @ts-expect-error the key of a call is not its id
  const context: Pick<CallContext, 'call'> = { call: keyOf({ key: 'key_1' }) };
  return [turn.type, update1.program, named, context.call];
}

function keyOf({ key }: Pick<CallContext, 'key'>): CallContext['key'] {
  return key;
}

export async function keys(row: ConversationRow, store: TimelineStore, bus: Bus): Promise<void> {
  const { signal } = new AbortController();
  const key: ConversationKey = row.key;
  bus.wake(key);
  // @ts-expect-error the head of a conversation is not its key
  bus.wake(row.head);
  // @ts-expect-error clients know a conversation by its id, a store by its key
  bus.wake(row.id);
  // @ts-expect-error conversation and fence are swapped
  await store.renew(row.reactive, { fence: key, ttlMs: 1, signal });
  // @ts-expect-error a plain number is not a key
  await store.read(7, { after: 0, limit: 1, signal });
}

export function streams(frame: DeltaFrame, publisher: Publisher, place: RoundPlace): void {
  const stream: StreamName = streamName(place, 'answer', frame.instance);
  publisher.delta(place, { ...frame, stream }, { text: frame.text });
  // @ts-expect-error a channel is not the name of a stream
  publisher.delta(place, { ...frame, stream: frame.channel }, { text: frame.text });
  // @ts-expect-error a turn is not the name of a stream
  publisher.piece(place, { ...frame, stream: frame.turn });
}

export function storedPaths(view: View, path: Path, row: ConversationRow): readonly string[] {
  const stored: BlockPath = paths.prompt(noTurn);
  const text: string = stored;
  // @ts-expect-error a model may write another spelling, an alias or a short name
  view.hidden.get(text);
  // @ts-expect-error a displayed path has short names
  view.hidden.get(shortNames(view).path(stored));
  // @ts-expect-error the path may name an unknown turn
  view.hidden.get(storedPath(view, text));
  view.hidden.get(formatPath(path));
  const block: Draft = { type: 'react.note', turn: noTurn, author: 'agent', path: stored };
  // @ts-expect-error the id of a conversation is not a path
  const other: Draft = { ...block, path: row.id };
  return [other.type];
}

export function positions(
  row: ConversationRow,
  block: Block,
  bus: Bus,
): Pick<AppendRequest, 'asOf'> {
  const seq: Seq = block.seq;
  bus.steer(row.key, seq);
  // @ts-expect-error the position and the key are swapped
  bus.steer(seq, row.key);
  // @ts-expect-error a number of rounds is not a position
  const wrong: Pick<AppendRequest, 'asOf'> = { asOf: countOf(row) };
  // @ts-expect-error the result of arithmetic must be marked as a position
  const next: Seq = seq + 1;
  return next > row.head ? wrong : { asOf: toSeq(seq + 1) };
}

function countOf({ title }: ConversationRow): number {
  return title?.length ?? 0;
}

/** Bundles read and write plain strings. */
export function publicBlock(block: Block): PublicBlock {
  const written: PublicBlock = {
    ...block,
    turn: 'turn_1',
    call: 'tc_1',
    path: 'ar:turn_1.react.note.1',
  };
  return block.turn === written.turn ? block : written;
}
