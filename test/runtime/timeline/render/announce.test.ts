import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { changePlan } from '../../../../runtime/timeline/plans/plans.ts';
import { type AnnounceInputs, announce } from '../../../../runtime/timeline/render/announce.ts';
import { LogWriter } from '../logs/log-writer.ts';

// proves: timeline.announce

const inputs: AnnounceInputs = {
  now: '2026-01-01T10:00:00.000Z',
  round: 4,
  budget: { used: 3, total: 15, bonus: 0 },
  elapsedMs: 65_000,
  phase: 'decision',
  caps: {},
  inactiveTools: [],
  workspace: [],
  feedback: [],
  notices: [],
};

/** The last line of every board. */
function replyNow(decision: string): string {
  return `Reply now, in channels only: <channel:thinking>…</channel:thinking> then <channel:ReactDecisionOutV2>${decision}</channel:ReactDecisionOutV2>. The [LABELS] above are a log; never write them.`;
}

function openTurn(): LogWriter {
  const log = new LogWriter();
  log.append({ type: 'turn.open', turn: toTurnId('turn_1'), author: 'system', data: {} });
  return log;
}

test('ANNOUNCE of a simple turn contains its budget, its time, its turn and no plans', () => {
  expect(announce(foldAll(emptyView, openTurn().blocks), inputs)).toBe(
    [
      'ANNOUNCE - Round 4/15',
      '[BUDGET]',
      '- ██░░░░░░░░ 12 of 15 rounds left, this one included',
      '- time in this turn: 1 m 5 s',
      '[TIME]',
      '- current_utc_timestamp: 2026-01-01T10:00:00.000Z',
      '- current_utc_date: 2026-01-01',
      '- current turn: t1',
      '[OPEN PLANS]',
      'plans: none',
      replyNow('{"action":…}'),
    ].join('\n'),
  );
});

test('bonus rounds are shown separately from the base budget', () => {
  const text = announce(emptyView, { ...inputs, budget: { used: 1, total: 17, bonus: 2 } });
  expect(text).toContain('Round 4/17 (2 more for what came in)');
});

// proves: reply.round-once
test('a round beyond the budget is shown as one, never as the last of the budget again', () => {
  expect(announce(emptyView, { ...inputs, round: 16 })).toContain(
    'Round 16 (after 15, only to finish)',
  );
});

const beside = 'Beside it only react.plan may be called; canvas and summary as usual.';

test('the last round and the finalize phase say what to do now, and what may stand beside the answer', () => {
  const lastRows = (text: string) => text.split('\n').slice(-3, -1);
  const spent = { used: 15, total: 15, bonus: 0 };
  const steer = { ...inputs, phase: 'finalize', cause: 'steer' } as const;
  const ending = `Complete (or exit) now with what you have. ${beside}`;
  const last = announce(emptyView, { ...inputs, budget: { ...spent, used: 14 } });
  expect(lastRows(last)[1]).toBe(`LAST ROUND. ${ending}`);
  const two = { used: 1, total: 3, bonus: 0 };
  const steered = announce(emptyView, { ...steer, budget: two });
  expect(lastRows(steered)).toEqual([
    'PHASE finalize: the latest steer leaves this turn 2 rounds, this one included. Only react.* tools run; a call of any other tool is refused.',
    'Do what the steer asks for, drop what it makes pointless, and end the turn when that is done, at the latest in the last of these rounds.',
  ]);
  expect(steered.endsWith(`\n${replyNow('{"action":…}')}`)).toBe(true);
  const one = announce(emptyView, { ...steer, budget: { ...two, used: 2 } });
  expect(lastRows(one)[1]).toBe(ending);
  expect(one.endsWith(`\n${replyNow('{"action":"complete",…}')}`)).toBe(true);
});

test('after a steer ANNOUNCE says how to do work that needs other tools, while rounds are left', () => {
  const steer = { ...inputs, phase: 'finalize', cause: 'steer' } as const;
  const two = { used: 1, total: 3, bonus: 0 };
  expect(announce(emptyView, { ...steer, budget: two, resumable: 38 })).toContain(
    '\n(b) NEW WORK: if the steer asks for something that needs another tool or a program, your next call is react.plan (mode new, with the steps). From then on, also later in the same reply, all tools run, and 38 more rounds are left.\n',
  );
  const one = announce(emptyView, { ...steer, budget: { ...two, used: 2 }, resumable: 1 });
  expect(one).toContain(
    'do not end the turn but call react.plan (mode new, with the steps). From then on',
  );
  expect(one.endsWith(`\n${replyNow('{"action":…}')}`)).toBe(true);
});

test('a context that no compaction made smaller is not called full, since a full one is compacted', () => {
  const text = announce(emptyView, { ...inputs, contextPercent: 103 });
  expect(text).toContain(
    '\n- context: 99 % full; at 100 % a summary replaces older turns and rounds.',
  );
});

test('with an open plan, a steer that needs work names how to keep or replace that plan', () => {
  const log = openTurn();
  const made = changePlan(
    foldAll(emptyView, log.blocks),
    { mode: 'new', steps: ['spring'] },
    { turn: toTurnId('turn_1'), call: toCallId('tc_1'), now: inputs.now },
  );
  if (made.ok) log.append(...made.drafts);
  const steer = { ...inputs, phase: 'finalize', cause: 'steer', resumable: 2 } as const;
  const text = announce(foldAll(emptyView, log.blocks), {
    ...steer,
    budget: { used: 1, total: 3, bonus: 0 },
  });
  expect(text).toContain(
    'your next call is react.plan (mode replace, with the new steps; or activate, if the open plan still fits). From then on',
  );
});

test('where the budget is spent and nobody steered, no steer is named, and this round is still counted', () => {
  const spent = { used: 15, total: 15, bonus: 0 };
  const text = announce(foldAll(emptyView, openTurn().blocks), {
    ...inputs,
    phase: 'finalize',
    budget: spent,
  });
  expect(text).toContain('- ██████████ 1 of 15 rounds left, this one included');
  expect(text).toContain(
    `\nPHASE finalize: the budget of this turn is spent.\nComplete (or exit) now with what you have. ${beside}`,
  );
  expect(text).not.toContain('steer');
});

test('at most four open plans are shown, the current one always, with the state of each step', () => {
  const log = openTurn();
  for (let n = 1; n <= 6; n += 1) {
    const made = changePlan(
      foldAll(emptyView, log.blocks),
      { mode: 'new', steps: [`step of ${n}`] },
      { turn: toTurnId('turn_1'), call: toCallId(`tc_${n}`), now: inputs.now },
    );
    if (made.ok) log.append(...made.drafts);
  }
  const shown = () =>
    [...announce(foldAll(emptyView, log.blocks), inputs).matchAll(/□ \[1\] step of (\d)/g)]
      .map(([, n]) => n)
      .join('');
  expect(shown()).toBe('3456');
  const text = announce(foldAll(emptyView, log.blocks), inputs);
  expect(text.match(/\(current\)/g)).toHaveLength(1);
  expect(text).toMatch(/- plan:[0-9a-f]{8} \(current\)\n {2}□ \[1\] step of 6\n/);
  const { plans } = foldAll(emptyView, log.blocks);
  const again = changePlan(
    foldAll(emptyView, log.blocks),
    { mode: 'activate', plan_id: plans[0]?.plan_id ?? '' },
    { turn: toTurnId('turn_1'), call: toCallId('tc_7'), now: inputs.now },
  );
  if (again.ok) log.append(...again.drafts);
  expect(shown()).toBe('4561');
});

test('of the events of the turn the last four are shown, in short, with their files', () => {
  const log = openTurn();
  for (let n = 1; n <= 5; n += 1) {
    log.append({
      type: 'external.followup',
      turn: toTurnId('turn_1'),
      author: 'user',
      path: paths.external(toTurnId('turn_1'), 'followup', `m${n}`),
      event: `m${n}`,
      text: `${n} ${'word '.repeat(60)}`,
      data: {},
    });
  }
  log.append({
    type: 'user.attachment',
    turn: toTurnId('turn_1'),
    author: 'user',
    event: 'm5',
    path: paths.externalAttachment(toTurnId('turn_1'), 'followup', 'm5/a.csv'),
    data: { filename: 'a.csv', size: 1 },
  });
  const rows = announce(foldAll(emptyView, log.blocks), inputs)
    .split('\n')
    .filter((line) => line.startsWith('- followup'));
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatch(/^- followup: 2 .{0,120}… \| ar:t1\.external\.followup\.m2$/);
  expect(rows[3]).toContain('fi:t1.external.followup.attachments/m5/a.csv');
});

test('an event stands on the board word for word while it is new, then by its path alone', () => {
  const log = openTurn();
  const path = paths.external(toTurnId('turn_1'), 'followup', 'm1');
  const round = (n: number, asOf: number) => ({
    type: 'round.open',
    turn: toTurnId('turn_1'),
    author: 'system' as const,
    data: { round: n, as_of: asOf, phase: 'decision' },
  });
  const closed = { type: 'round.close', turn: toTurnId('turn_1'), author: 'system' as const };
  const rows = () =>
    announce(foldAll(emptyView, log.blocks), inputs)
      .split('\n')
      .filter((line) => line.startsWith('- followup'));
  log.append(round(1, 1), {
    type: 'external.followup',
    turn: toTurnId('turn_1'),
    author: 'user',
    path,
    event: 'm1',
    text: 'And the coldest week.',
    data: {},
  });
  log.append({ ...closed, data: { round: 1, outcome: 'acted' } });
  expect(rows()).toEqual([`- followup: And the coldest week. | ar:t1.external.followup.m1`]);
  log.append(round(2, log.head), { ...closed, data: { round: 2, outcome: 'acted' } });
  expect(rows()).toEqual([`- followup, in sight since round 2 | ar:t1.external.followup.m1`]);
});

test('caps, inactive tools, workspace, feedback and notices have a section each', () => {
  const text = announce(emptyView, {
    ...inputs,
    timezone: 'Europe/Berlin',
    caps: { actionsPerRound: 2, programs: true },
    inactiveTools: ['mail.send'],
    workspace: ['fi:turn_1.files/a.py'],
    feedback: ['thumbs up'],
    notices: ['mcp.github is out of reach'],
  });
  for (const line of [
    'user_timezone: Europe/Berlin',
    '[CONTEXT CAPS]\n- actions per round: 2\n- programs: true',
    '[INACTIVE TOOLS]\n- mail.send',
    '[WORKSPACE]\n- fi:turn_1.files/a.py',
    '[FEEDBACK]\n- thumbs up',
    '[NOTICES]\n- mcp.github',
  ]) {
    expect(text).toContain(line);
  }
});
