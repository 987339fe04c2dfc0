import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { contentOf } from '../../../../runtime/timeline/render/parts.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { LogWriter } from '../logs/log-writer.ts';

export const turn = toTurnId('turn_1');
export const system = { turn, author: 'system' } as const;
export const agent = { turn, author: 'agent' } as const;
export const user = { turn, author: 'user' } as const;
export const called = { turn, author: 'tool', call: toCallId('tc_1') } as const;
export const result: Draft = {
  ...called,
  type: 'react.tool.result',
  path: paths.result(turn, toCallId('tc_1')),
  text: 'rain 3 mm',
  data: { ok: true, ret: { mm: 3 } },
};
export const call: Draft = {
  ...agent,
  type: 'react.tool.call',
  call: toCallId('tc_1'),
  path: paths.call(turn, toCallId('tc_1')),
  data: { tool: 'weather.query', input: { city: 'Seattle' } },
};
export const opened: readonly Draft[] = [
  { ...system, type: 'turn.open', data: {} },
  { ...user, type: 'user.prompt', path: paths.prompt(turn), text: 'How wet?' },
];
export const round: Draft = { ...system, type: 'round.open', data: { round: 1, as_of: 2 } };
export const done: Draft = { ...system, type: 'round.close', data: { round: 1, outcome: 'acted' } };

export function shown(...drafts: readonly Draft[]) {
  const log = new LogWriter();
  log.append(...drafts);
  const view = foldAll(emptyView, log.blocks);
  const { parts } = render(view, { asOf: view.head, announce: 'ANNOUNCE - Round 1/15' });
  return {
    view,
    parts,
    text: parts
      .map((part) => ('path' in part ? `(${part.mime} ${part.path})\n` : contentOf(part)))
      .join(''),
  };
}
