import { type TurnId, toCallId, toTurnId } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import type { LogWriter } from '../../runtime/timeline/logs/log-writer.ts';

export const roundsPerTurn = 8;

/** Closed turns of some rounds each, until the log has the given number of blocks. */
export function appendTurns(log: LogWriter, blocks: number): void {
  while (log.head < blocks) appendRound(log);
}

/** One round with one call, one source and one result; every few rounds the turn closes and a new one opens. */
export function appendRound(log: LogWriter): void {
  const done = log.blocks.filter(({ type }) => type === 'round.close').length;
  const turn = toTurnId(`turn_${Math.floor(done / roundsPerTurn)}`);
  if (done % roundsPerTurn === 0) nextTurn(log, turn);
  const call = toCallId(`tc_${done}`);
  log.append(
    {
      type: 'round.open',
      turn,
      author: 'system',
      data: { round: (done % roundsPerTurn) + 1, as_of: log.head },
    },
    {
      type: 'react.thinking',
      turn,
      author: 'agent',
      text: `Step ${done} looks at the next column. `.repeat(5),
      data: {},
    },
    {
      type: 'model.call',
      turn,
      author: 'system',
      data: { model: 'bench', actions: [] },
    },
    { type: 'react.notes', turn, author: 'agent', call, text: 'Asking the tool', data: {} },
    {
      type: 'react.tool.call',
      turn,
      author: 'agent',
      call,
      path: paths.call(turn, call),
      data: { tool: 'data.read', input: { column: done } },
    },
    {
      type: 'source.row',
      turn,
      author: 'tool',
      path: paths.source(done + 1),
      data: {
        sid: done + 1,
        title: `Page ${done}`,
        url: `https://a.test/${done}`,
        text: 'words '.repeat(50),
      },
    },
    {
      type: 'react.tool.result',
      turn,
      author: 'tool',
      call,
      path: paths.result(turn, call),
      text: `row ${done}: 12.8 and more\n`.repeat(40),
      data: { ok: true, ret: done },
    },
    {
      type: 'round.close',
      turn,
      author: 'system',
      data: { round: (done % roundsPerTurn) + 1, outcome: 'acted' },
    },
  );
}

function nextTurn(log: LogWriter, turn: TurnId): void {
  const before = log.blocks.at(-1)?.turn;
  if (before !== undefined) {
    log.append({
      type: 'turn.close',
      turn: before,
      author: 'system',
      data: { reason: 'completed' },
    });
  }
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      text: 'How wet was it? '.repeat(12),
    },
  );
}
