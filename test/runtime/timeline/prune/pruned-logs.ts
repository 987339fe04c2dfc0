import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { type CallId, type TurnId, toCallId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { type PruneSettings, planPrune } from '../../../../runtime/timeline/prune/prune.ts';
import { contentOf } from '../../../../runtime/timeline/render/parts.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import type { LogWriter } from '../logs/log-writer.ts';

export const settings: PruneSettings = {
  ttlMs: 300_000,
  recentTurns: 2,
  intactTurns: 1,
  changed: false,
};

type Round = {
  readonly drafts?: (turn: TurnId, call: CallId) => readonly Draft[];
  readonly usage?: object;
};

/** A turn with one round that calls a tool, and one that answers. */
export function writeTurn(
  log: LogWriter,
  turn: TurnId,
  { drafts = () => [], usage }: Round = {},
): void {
  const call = toCallId(`tc_${turn}`);
  openTurn(log, turn);
  log.append(
    { type: 'round.open', turn, author: 'system', data: { round: 1, as_of: log.head } },
    { type: 'react.thinking', turn, author: 'agent', text: 'Let me look. '.repeat(40), data: {} },
    modelCall(turn, usage),
    ...drafts(turn, call),
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, 1),
      text: `The answer of ${turn}. ${'More of it. '.repeat(60)}`,
      data: { n: 1 },
    },
    { type: 'round.close', turn, author: 'system', data: { round: 1, outcome: 'answered' } },
    { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
  );
}

export function openTurn(log: LogWriter, turn: TurnId): void {
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      text: `Please see to ${turn}. ${'It matters. '.repeat(30)}`,
    },
  );
}

function modelCall(turn: TurnId, usage: object = {}): Draft {
  const counted = { input_tokens: 1, output_tokens: 1, ...usage };
  return {
    type: 'model.call',
    turn,
    author: 'system',
    data: { model: 'm', finish: 'stop', usage: counted, actions: [] },
  };
}

export function called(turn: TurnId, call: CallId, more: Called): readonly Draft[] {
  const { tool, input = {}, text, ret } = more;
  return [
    {
      type: 'react.tool.call',
      turn,
      author: 'agent',
      call,
      path: paths.call(turn, call),
      data: { tool, input },
    },
    {
      type: 'react.tool.result',
      turn,
      author: 'tool',
      call,
      path: paths.result(turn, call),
      text,
      data: { ok: true, ...(ret === undefined ? {} : { ret }) },
    },
  ];
}
type Called = {
  tool: string;
  input?: Record<string, string | string[]>;
  text: string;
  ret?: string[];
};

export function viewOf(log: LogWriter): View {
  return foldAll(emptyView, log.blocks);
}

/** Long after the last block. */
export function later(log: LogWriter, ms = 400_000): number {
  return Date.parse(log.blocks.at(-1)?.at ?? '') + ms;
}

export function shown(view: View): string {
  return render(view, { asOf: view.head, announce: '' })
    .parts.map((part) => ('path' in part ? `<${part.path}>` : contentOf(part)))
    .join('');
}

/** Prunes as an engine would, and gives the prompt after it. */
export function pruned(log: LogWriter, now = later(log)): string {
  log.append(...(planPrune(viewOf(log), { now, settings }) ?? []));
  return shown(viewOf(log));
}
