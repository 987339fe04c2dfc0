import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { toSeq } from '../ids.ts';
import { foldTurnApproval, foldWait, isAnswer } from './fold-waits.ts';
import type { MutableRound, MutableTurn } from './mutable-view.ts';

/** Applies a block to its turn. */
export function foldTurn(work: MutableTurn, block: Block): void {
  switch (block.type) {
    case 'turn.open':
      work.turn.data = block.data ?? null;
      return;
    case 'turn.resume':
      work.turn.resumed = { seq: block.seq, at: block.at };
      return;
    case 'turn.close':
      closeTurn(work, block);
      return;
    case 'round.open':
      openRound(work, block);
      return;
    case 'tools.selection':
      work.turn.consultedAsOf = dataOf('tools.selection', block)?.as_of ?? block.seq - 1;
      return;
    default:
      if (foldTurnApproval(work.turn.approvals, block)) return;
      if (isAnswer(block)) foldWait(work.openRound, block);
      else if (isFromOutside(block)) foldEvent(work.turn, block);
      else foldWork(work, block);
  }
}

/** Accepted while the turn ran, at any seq; never part of a round. */
function isFromOutside({ author }: Block): boolean {
  return author === 'user' || author === 'world';
}

function foldEvent(turn: MutableTurn['turn'], block: Block): void {
  if (/^(user|external)\./.test(block.type)) turn.events.push(block);
}

function foldWork(work: MutableTurn, block: Block): void {
  if (block.type === 'assistant.completion') work.turn.completions.push(block);
  if (block.type === 'conv.working.summary') work.turn.summary = block;
  const round = work.openRound;
  if (!round) return;
  round.blocks.push(block);
  foldRound(round, block);
  if (block.type === 'round.close') closeRound(work);
}

function foldRound(round: MutableRound, block: Block): void {
  if (block.type === 'model.call') round.modelCall ??= block;
  if (block.call === undefined) return;
  const { call } = block;
  if (block.type === 'react.tool.call' && !round.calls.some((each) => each.call === call)) {
    const tool = dataOf('react.tool.call', block)?.tool ?? '';
    round.calls.push({ call, tool, request: block, result: undefined });
  }
  if (block.type === 'react.tool.result') {
    const index = round.calls.findIndex((each) => each.call === call && !each.result);
    const asked = round.calls[index];
    if (asked) round.calls[index] = { ...asked, result: block };
  } else foldWait(round, block);
}

function openRound(work: MutableTurn, block: Block): void {
  closeRound(work);
  const data = dataOf('round.open', block);
  const round: MutableRound = {
    number: data?.round ?? work.turn.rounds.length + 1,
    openSeq: block.seq,
    asOf: toSeq(data?.as_of ?? block.seq - 1),
    phase: data?.phase ?? 'decision',
    closed: false,
    blocks: [block],
    modelCall: undefined,
    calls: [],
  };
  work.openRound = round;
  work.turn.rounds.push(round);
}

function closeRound(work: MutableTurn): void {
  if (work.openRound) work.openRound.closed = true;
  work.openRound = undefined;
}

/** The first close counts; an open round ends with its turn. */
function closeTurn(work: MutableTurn, block: Block): void {
  closeRound(work);
  work.turn.closed ??= { reason: dataOf('turn.close', block)?.reason ?? 'failed', seq: block.seq };
}
