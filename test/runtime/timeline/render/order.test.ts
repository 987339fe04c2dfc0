import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { agent, called, done, opened, round, shown, system, turn, user } from './one-turn.ts';

test('each call of a reply is rendered with its notes, its program and its result, in the order of the calls', () => {
  const of = (id: string, tool: string): readonly Draft[] => [
    {
      ...agent,
      type: 'react.tool.call',
      call: toCallId(id),
      path: paths.call(turn, toCallId(id)),
      data: { tool, input: {} },
    },
    {
      ...called,
      call: toCallId(id),
      type: 'react.tool.result',
      path: paths.result(turn, toCallId(id)),
      text: `about ${id}`,
      data: { ok: true },
    },
  ];
  const [[firstCall, firstResult], [secondCall, secondResult]] = [of('tc_1', 'a'), of('tc_2', 'b')];
  const note = (id: string): Draft => ({
    ...agent,
    type: 'react.notes',
    call: toCallId(id),
    text: `noted ${id}`,
    data: { stream: 's' },
  });
  const code: Draft = {
    ...agent,
    type: 'react.code',
    call: toCallId('tc_2'),
    path: paths.code(turn, toCallId('tc_2')),
    text: 'print(1)',
    data: { language: 'python' },
  };
  const remark: Draft = { ...agent, type: 'timeline_text', text: 'On it.', data: { stream: 's' } };
  const { text } = shown(
    ...opened,
    round,
    ...[
      note('tc_1'),
      note('tc_2'),
      code,
      remark,
      firstCall,
      secondCall,
      secondResult,
      firstResult,
    ].filter((draft) => draft !== undefined),
    done,
  );
  const labels = [...text.matchAll(/^(?:\[[A-Z][^\]]*\]|noted .*)/gm)].map(([label]) => label);
  expect(labels.slice(2)).toEqual([
    '[TIMELINE TEXT]',
    '[NOTES]',
    'noted tc_1',
    '[TOOL CALL c1]',
    '[TOOL RESULT c1]',
    '[NOTES]',
    'noted tc_2',
    '[CODE]',
    '[TOOL CALL c2]',
    '[TOOL RESULT c2]',
  ]);
});

test('events seen by a covered round are above its text, unseen events below', () => {
  const event = (id: string): Draft => ({
    ...user,
    type: 'external.followup',
    path: paths.external(turn, 'followup', id),
    text: `and ${id}`,
    data: {},
  });
  const rounds = (number: number, asOf: number): readonly Draft[] => [
    { ...system, type: 'round.open', data: { round: number, as_of: asOf } },
    event(`during-${number}`),
    { ...system, type: 'round.close', data: { round: number, outcome: 'acted' } },
  ];
  const log = new LogWriter();
  log.append(...opened, ...rounds(1, 2), ...rounds(2, 5), ...rounds(3, 8));
  const view = foldAll(emptyView, log.blocks);
  const covered = new Map([[turn, { rounds: 2, text: '[MID-TURN COMPACTION] 1 to 2\n\n' }]]);
  const { parts } = render({ ...view, covered }, { asOf: view.head, announce: '' });
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const places = ['and during-1', 'MID-TURN', 'and during-2', '[ROUND 3]', 'and during-3'];
  const found = places.map((place) => text.indexOf(place));
  expect(found.every((place) => place > 0)).toBe(true);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(text).toContain('arrived during round 1');
});
