import type { Block } from '../../../../runtime/timeline/block.ts';
import { type Compaction, compact } from '../../../../runtime/timeline/compact/compact.ts';
import { type Cut, chooseCut } from '../../../../runtime/timeline/compact/cut.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type TurnId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { cacheBreak } from '../../../../runtime/timeline/render/cache-break.ts';
import { timelineSegments } from '../../../../runtime/timeline/render/render.ts';
import { LogWriter } from '../logs/log-writer.ts';

export type Compacted = {
  readonly before: readonly Block[];
  /** With the compaction's blocks, if it was worth it. */
  readonly blocks: readonly Block[];
  readonly cut: Cut | undefined;
  readonly made: Compaction | undefined;
};

export type How = {
  /** Of what the timeline takes now, so much is room. */
  readonly share: number;
  readonly recentTurns: number;
  readonly forced: boolean;
};

/** A turn nobody has worked on yet, so that there is one that asks for room. */
export function withOpenTurn(blocks: readonly Block[]): readonly Block[] {
  if (foldAll(emptyView, blocks).openTurn) return blocks;
  const log = new LogWriter('conv_test', blocks);
  const turn = toTurnId(`turn_open_${blocks.length}`);
  log.append(
    {
      type: 'turn.open',
      turn,
      author: 'system',
      data: { bundle: 'b', agent: 'main' },
    },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      text: 'And now?',
    },
  );
  return log.blocks;
}

/** What an engine would write to make room; nothing if it would not help. */
export function compacted(blocks: readonly Block[], how: How): Compacted {
  const before = withOpenTurn(blocks);
  const view = foldAll(emptyView, before);
  const tokens = timelineSegments(view, view.head).reduce((sum, each) => sum + each.tokens, 0);
  const room = Math.max(1, Math.floor(tokens * how.share));
  const cut = chooseCut(view, { ...how, room });
  if (!cut || !view.openTurn) return { before, blocks: before, cut: undefined, made: undefined };
  const made = compact(view, view.openTurn, {
    cut,
    cause: 'limit',
    summary: 'They went through it all, and it was good.',
    progress: 'Half of it is done.',
    room,
    now: '2026-01-02T00:00:00.000Z',
  });
  if (made.after >= made.before) return { before, blocks: before, cut, made };
  const log = new LogWriter('conv_test', before);
  log.append(made.draft, cacheBreak({ turn: view.openTurn.id, cause: 'compact' }));
  return { before, blocks: log.blocks, cut, made };
}

/** A round that has read everything and did nothing. */
export function readAll(log: LogWriter, turn: TurnId): void {
  const data = { round: 1, as_of: log.head, phase: 'decision' };
  log.append(
    { type: 'round.open', turn, author: 'system', data },
    { type: 'round.close', turn, author: 'system', data: { round: 1, outcome: 'acted' } },
  );
}

/** A turn that notes something. */
export function note(log: LogWriter, turn: TurnId, text: string): void {
  log.append(
    { type: 'turn.open', turn, author: 'system', data: { bundle: 'b', agent: 'main' } },
    { type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn), text: 'And?' },
  );
  readAll(log, turn);
  log.append(
    { type: 'react.note', turn, author: 'agent', path: paths.note(turn, 1), text, data: {} },
    { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
  );
}
