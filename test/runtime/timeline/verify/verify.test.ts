import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { entryOf } from '../../../../runtime/timeline/catalogue/catalogue.ts';
import { type TurnId, toCallId, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { runs } from '../../../tools/runs.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { legalLogs } from '../logs/logs.ts';

// proves: i4.pairs, timeline.paths

const open: Draft = { type: 'turn.open', turn: toTurnId('turn_1'), author: 'system', data: {} };
const close: Draft = {
  type: 'turn.close',
  turn: toTurnId('turn_1'),
  author: 'system',
  data: { reason: 'completed' },
};
const roundOpen: Draft = {
  type: 'round.open',
  turn: toTurnId('turn_1'),
  author: 'system',
  data: { round: 1, as_of: 1 },
};
const roundClose: Draft = {
  type: 'round.close',
  turn: toTurnId('turn_1'),
  author: 'system',
  data: { round: 1, outcome: 'acted' },
};
const call: Draft = {
  type: 'react.tool.call',
  turn: toTurnId('turn_1'),
  author: 'agent',
  call: toCallId('tc_1'),
  path: paths.call(toTurnId('turn_1'), toCallId('tc_1')),
  data: { tool: 'a.b', input: {} },
};
const result: Draft = {
  type: 'react.tool.result',
  turn: toTurnId('turn_1'),
  author: 'tool',
  call: toCallId('tc_1'),
  path: paths.result(toTurnId('turn_1'), toCallId('tc_1')),
  data: { ok: true, ret: 1 },
};
const hide: Draft = {
  type: 'view.hide',
  turn: toTurnId('turn_1'),
  author: 'agent',
  data: { path: 'ar:turn_9.user.prompt', replacement: '' },
};
const prune = (turn: TurnId, text: string): Draft => ({
  type: 'view.prune',
  turn: toTurnId('turn_1'),
  author: 'system',
  data: {
    cause: 'cold_cache',
    turns: [{ turn, text }],
    paths: [],
    tokens_before: 2,
    tokens_after: 1,
  },
});
const prunedTurn = prune(toTurnId('turn_9'), '');
const prunedRow = prune(
  toTurnId('turn_1'),
  'tool_result: path=tc:turn_1.tc_9.result hint="gone"\n',
);
const memory = (
  kept: Readonly<Record<string, readonly { ref: string; text: string }[]>>,
): Draft => {
  const none = { turns: [], events: [], notes: [], files: [], results: [], earlier: [] };
  const contents = { summary: 'So far.', count: 1, since: 'then', until: 'now', ...none, ...kept };
  const lists = { covered: [], plans: [], sources: [], hidden: [], pruned: [], pulled: [] };
  return {
    type: 'view.compact',
    turn: toTurnId('turn_1'),
    author: 'system',
    path: paths.memory(toTurnId('turn_1')),
    data: {
      cause: 'limit',
      window: 1,
      covers: { turns: 1, rounds: 0 },
      state: { memory: { text: 'So far.', kept: contents }, ...lists, standing: [] },
      tokens_before: 2,
      tokens_after: 1,
    },
  };
};
const soundMemory = memory({ turns: [{ ref: 'turn_1', text: 'it' }] });
const lostFile = memory({ files: [{ ref: 'fi:turn_1.outputs/gone', text: 'it' }] });
const lostTurn = memory({ turns: [{ ref: 'turn_9', text: 'it' }] });
const nextTurn: Draft = { type: 'turn.open', turn: toTurnId('turn_2'), author: 'system', data: {} };
const badPath: Draft = { ...result, path: toBlockPath('ar:turn_1.user.prompt') };
const badData: Draft = { ...call, data: { tool: 'a.b' } };

function codes(...drafts: readonly Draft[]): readonly string[] {
  const log = new LogWriter();
  log.append(...drafts);
  return verify(log.blocks).map(({ code }) => code);
}

test('a valid log has no problems, and neither has any prefix of it', () => {
  fc.assert(
    fc.property(legalLogs, (blocks) => {
      expect(verify(blocks)).toEqual([]);
      expect(
        blocks.filter(({ type }) => type !== 'future.thing').every(({ type }) => entryOf(type)),
      ).toBe(true);
    }),
    runs(20),
  );
});

const question: Draft = {
  type: 'approval.request',
  turn: open.turn,
  author: 'system',
  data: { request: 'question_1', kind: 'spending' },
};

const broken: readonly (readonly [string, readonly Draft[]])[] = [
  ['call_without_result', [open, roundOpen, call, roundClose]],
  ['result_again', [open, roundOpen, call, result, result]],
  ['result_without_call', [open, roundOpen, result]],
  ['call_asked_again', [open, roundOpen, call, result, call, result]],
  ['turn_closed_again', [open, close, close]],
  ['block_after_close', [open, close, roundOpen]],
  ['turn_left_open', [open, nextTurn]],
  ['turn_opened_again', [open, close, open]],
  ['round_left_open', [open, roundOpen, close]],
  ['round_left_open', [open, roundOpen, roundOpen]],
  ['round_not_open', [open, roundClose]],
  ['approval_left_open', [open, question, roundOpen]],
  ['approval_left_open', [open, question, close]],
  ['approval_not_open', [open, { ...question, type: 'approval.close' }]],
  ['path_unresolved', [open, hide]],
  ['path_unresolved', [open, prunedTurn]],
  ['path_unresolved', [open, prunedRow]],
  ['path_unresolved', [open, lostFile]],
  ['path_unresolved', [open, lostTurn]],
  ['path_misfit', [open, roundOpen, call, badPath]],
  ['data_misfit', [open, roundOpen, badData, result]],
];

test.each(broken)('%s is found', (code, drafts) => {
  expect(codes(...drafts)).toContain(code);
});

test('a memory whose rows all resolve has no problem', () => {
  expect(codes(open, soundMemory)).toEqual([]);
});

test('a gap in the numbers is found', () => {
  const log = new LogWriter();
  log.append(open, close);
  const gap: readonly Block[] = log.blocks.map((block) =>
    block.seq === 2 ? { ...block, seq: toSeq(3) } : block,
  );
  expect(verify(gap)).toMatchObject([{ code: 'seq_gap', seq: 3 }]);
});
