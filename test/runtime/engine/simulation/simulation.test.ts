import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { factor, seed as first, patience } from '../../../tools/runs.ts';
import { codeOf, isEscalation } from './loop-policies.ts';
import { isNotCollected } from './programs.ts';
import { play } from './story.ts';

/** Of each kind; those of some kinds are half as many. A failing seed is added to `found`. */
const scenarios = 40 * factor;

// proves: i2.one-writer, i3.gate, i3.effects-honest, i4.pairs
test(
  `${scenarios} seeded stories of crashes, freezes, lost signals and steers end as they should`,
  async () => {
    const wrong: string[] = [];
    let compactions = 0;
    const count = (blocks: readonly Block[]) => {
      compactions += blocks.filter(({ type }) => type === 'view.compact').length;
    };
    for (let seed = first; seed < first + scenarios; seed += 1)
      wrong.push(...(await play(seed, { look: count })));
    expect(wrong).toEqual([]);
    expect(compactions).toBeGreaterThan(scenarios / 12);
  },
  60_000 * patience,
);

// proves: streams.end, claim.hangs, model.breaks, steer.answered-first, gateway.no-lost-wake-up, exec.not-collected
test(
  `${scenarios} seeded stories of renewals that hang, owners killed in a row, replies that break off, full disks and followers end as they should`,
  async () => {
    const wrong: string[] = [];
    let notCollected = 0;
    const count = (blocks: readonly Block[]) => {
      notCollected += blocks.filter(isNotCollected).length;
    };
    for (let seed = first; seed < first + scenarios; seed += 1)
      wrong.push(...(await play(seed, { timing: true, look: count })));
    expect(wrong).toEqual([]);
    expect(notCollected).toBeGreaterThan(scenarios / 12);
  },
  120_000 * patience,
);

// proves: visibility.one-set, selection.recorded
test(
  `${scenarios / 2} seeded stories of agents with many tools run exactly what is visible`,
  async () => {
    const wrong: string[] = [];
    const seen = { refused: 0, chosen: 0 };
    const count = (blocks: readonly Block[]) => {
      seen.refused += blocks.filter(({ text }) => text?.startsWith('tool_not_visible')).length;
      seen.chosen += blocks.filter(({ type }) => type === 'tools.visibility').length;
    };
    for (let seed = first; seed < first + scenarios / 2; seed += 1)
      wrong.push(...(await play(seed, { many: true, look: count })));
    expect(wrong).toEqual([]);
    expect(Math.min(seen.refused, seen.chosen)).toBeGreaterThan(scenarios / 4);
  },
  60_000 * patience,
);

// proves: multi-action.bundle, multi-action.first-only, failure.escalate, external.hand-off, malformed.repairs
test(
  `${scenarios} seeded stories of bundles with failing, slow and unsafe calls, steers and killed owners end as they should`,
  async () => {
    const wrong: string[] = [];
    const seen = { declined: 0, escalated: 0, handedOff: 0 };
    const count = (blocks: readonly Block[]) => {
      seen.declined += blocks.filter((block) => codeOf(block) === 'not_executed').length;
      seen.escalated += blocks.filter(isEscalation).length;
      seen.handedOff += blocks.filter((block) => codeOf(block) === 'handed_off').length;
    };
    for (let seed = first; seed < first + scenarios; seed += 1)
      wrong.push(...(await play(seed, { timing: seed % 2 === 0, bundles: true, look: count })));
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(scenarios / 12);
  },
  120_000 * patience,
);

// proves: answer.take-over, answer.events
test(
  `${scenarios / 2} seeded stories of turns whose answer is written by another call end as they should`,
  async () => {
    const wrong: string[] = [];
    let written = 0;
    const count = (blocks: readonly Block[]) => {
      written += blocks.filter(isWrittenAnswer).length;
    };
    for (let seed = first; seed < first + scenarios / 2; seed += 1) {
      const answer = seed % 3 === 0 ? 'auto' : 'synthesize';
      wrong.push(...(await play(seed, { timing: true, answer, look: count })));
    }
    expect(wrong).toEqual([]);
    expect(written).toBeGreaterThan(scenarios / 4);
  },
  120_000 * patience,
);

// proves: protocol.interrupted, protocol.fallback
test(
  `${scenarios / 2} seeded stories of every protocol, with killed owners, steers and violations, end as they should`,
  async () => {
    const wrong: string[] = [];
    const seen = { changed: 0, 'native-tools': 0, json: 0, plain: 0 };
    const count = (blocks: readonly Block[]) => {
      const opened = blocks.flatMap(({ type, data }) =>
        type === 'round.open' && isJsonObject(data) ? [data] : [],
      );
      seen.changed += opened.filter((data) => data['protocol_from'] !== undefined).length;
      for (const protocol of ['native-tools', 'json', 'plain'] as const)
        seen[protocol] += opened.filter((data) => data['protocol'] === protocol).length;
    };
    for (let seed = first; seed < first + scenarios / 2; seed += 1)
      wrong.push(...(await play(seed, { timing: true, anyProtocol: true, look: count })));
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  },
  120_000 * patience,
);

// proves: plan.crash, plan.runs, delegate.approvals
test(
  `${scenarios / 4} seeded stories of plans, with killed owners, steers, stops and questions of agents, end as they should`,
  async () => {
    const wrong: string[] = [];
    const seen = { planned: 0, ended: 0, relayed: 0 };
    const count = (blocks: readonly Block[]) => {
      seen.planned += blocks.filter(({ type }) => type === 'agent.plan').length;
      seen.ended += blocks.filter(
        ({ type, data }) => type === 'agent.result' && isJsonObject(data) && data['ok'] === true,
      ).length;
      seen.relayed += blocks.filter(
        ({ type, data }) =>
          type === 'approval.decision' &&
          isJsonObject(data) &&
          /^ask_/.test(String(data['request'])),
      ).length;
    };
    for (let seed = first; seed < first + scenarios / 4; seed += 1)
      wrong.push(...(await play(seed, { timing: seed % 2 === 0, plans: true, look: count })));
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(scenarios / 12);
  },
  120_000 * patience,
);

function isWrittenAnswer({ type, data }: Block): boolean {
  return type === 'model.call' && isJsonObject(data) && data['role'] === 'answer';
}

type Found = {
  readonly seed: number;
  readonly promise: string;
  readonly options?: Parameters<typeof play>[1];
};

const found: readonly Found[] = [
  { seed: 4, promise: 'a short connection loss does not fail the turn' },
  {
    seed: 1006,
    promise:
      'an owner that slept through its lease does not continue from the work of the next one',
  },
  { seed: 1586, promise: 'a stop in a reopened turn ends the event that opened it' },
  { seed: 290905396, promise: 'a turn with an event that no round has read is not compacted' },
  { seed: 290906322, promise: 'a call broken by a lost connection may have had its effect' },
  { seed: 1351839670, promise: 'a turn that was opened in the meantime is not opened again' },
  { seed: 1351839546, promise: 'a steer with text in a stopped turn can be taken back' },
  {
    seed: 52000568,
    promise: 'unread events of an abandoned turn are not abandoned with it',
  },
  { seed: 290905744, promise: 'a summary model does not see what no round has read' },
  {
    seed: 770000408,
    promise: 'a selection model does not see a message that can still be taken back',
    options: { many: true },
  },
  {
    seed: 770001430,
    promise: 'a stop ends a turn with calls to hand off',
    options: { timing: true, bundles: true },
  },
];

test.each(found)('$promise (seed $seed)', async ({ seed, options }) => {
  expect(await play(seed, options)).toEqual([]);
});
