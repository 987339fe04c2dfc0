import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../../runtime/base/json.ts';
import {
  agentKey,
  describedAgent,
  newlyShown,
  visibleAgent,
} from '../../../../runtime/engine/agent/visible-agent.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { compactState } from '../../../../runtime/timeline/compact/compact-state.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { runs } from '../../../tools/runs.ts';
import { LogWriter } from '../../timeline/logs/log-writer.ts';
import { agentWith } from '../kit/harness.ts';

const names = Array.from({ length: 16 }, (_, index) => `t.n${index}`);
const groups = [
  { id: 'one', description: 'One.', tools: ['t.n0', 't.n1'], active: false },
  { id: 'two', description: 'Two.', tools: ['t.n1', 't.n2'], active: false },
  { id: 'always', description: 'Always.', tools: ['t.n3'], active: true },
];
const agent = agentWith({ tools: names.map(toolOf), groups });

function toolOf(id: string): Tool {
  return createTool({
    id,
    description: id,
    kind: 'bundle',
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: null } }),
  });
}

const step = fc.oneof(
  fc.record({
    do: fc.constantFrom('add', 'set'),
    groups: fc.subarray(['one', 'two']),
    tools: fc.subarray(names, { maxLength: 3 }),
  }),
  fc.record({
    do: fc.constant('select'),
    tools: fc.subarray(names, { minLength: 1, maxLength: 6 }),
  }),
  fc.record({ do: fc.constantFrom('round', 'round', 'round', 'prune', 'compact', 'turn') }),
);
type Step = { do: string; groups?: string[]; tools?: string[] };

// proves: visibility.described, visibility.cache
test('at every round each visible tool is described, and the system text changes only if it must', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const play = new Play();
      for (const each of steps) play.step(each);
    }),
    runs(200),
  );
});

/** A log as an engine would write it, with an own account of what the prompt says. */
class Play {
  readonly #log = new LogWriter();
  #turn = 0;
  #view = emptyView;
  #system: readonly string[] | undefined;
  #logged = new Set<string>();

  constructor() {
    this.step({ do: 'turn' });
  }

  step({ do: kind, groups: switched = [], tools = [] }: Step): void {
    if (kind === 'round') this.#round();
    else if (kind === 'turn') this.#openTurn();
    else if (kind === 'prune') this.#prune();
    else if (kind === 'compact') this.#compact();
    else this.#change(kind, { groups: switched, tools });
  }

  get #seen() {
    return { visible: this.#view.visible, turn: `turn_${this.#turn}` };
  }

  #round(): void {
    const visible = idsOf(visibleAgent(agent, this.#seen).tools);
    const described = describedAgent(agent, this.#seen);
    const system = idsOf(described.tools);
    expect(visible.filter((id) => !system.includes(id) && !this.#logged.has(id))).toEqual([]);
    const before = this.#system;
    const isEnough = before && visible.every((id) => before.includes(id) || this.#logged.has(id));
    if (isEnough) expect(system).toEqual(before);
    else this.#logged.clear();
    this.#system = system;
    const shown = newlyShown(agent, described, this.#view);
    const data = { round: 1, as_of: this.#log.head, ...(shown ? { shown_tools: shown } : {}) };
    this.#append({ type: 'round.open', data: copy(data) });
    expect(
      visibleAgent(agent, { ...this.#seen, visible: this.#view.visibleInRound }).tools,
    ).toEqual(visibleAgent(agent, this.#seen).tools);
    this.#append({ type: 'round.close', data: { round: 1, outcome: 'acted' } });
  }

  #openTurn(): void {
    if (this.#turn > 0) this.#append({ type: 'turn.close', data: { reason: 'completed' } });
    this.#turn += 1;
    this.#append({ type: 'turn.open', data: { bundle: 'test', agent: 'main' } });
  }

  #prune(): void {
    const data = { cause: 'x', turns: [], paths: [], tokens_before: 1, tokens_after: 0 };
    this.#append({ type: 'view.prune', data });
    this.#logged.clear();
  }

  #compact(): void {
    const window = this.#view.turns.at(-1)?.openSeq ?? 1;
    const state = compactState(this.#view, { window, hidden: new Map() });
    const data = { cause: 'limit', window, covers: { turns: 0, rounds: 0 }, state };
    const sizes = { tokens_before: 1, tokens_after: 0 };
    this.#append({ type: 'view.compact', data: copy({ ...data, ...sizes }) });
    const late = foldAll(emptyView, this.#log.blocks.slice(window - 1));
    expect(late.visible).toEqual(this.#view.visible);
    this.#logged.clear();
    this.#system = undefined;
  }

  #change(kind: string, { groups: some, tools }: { groups: string[]; tools: string[] }): void {
    const mode = kind === 'add' ? 'add' : 'set';
    const was = visibleAgent(agent, this.#seen);
    const wanted = [...tools, ...groups.filter(({ id }) => some.includes(id)).flatMap(toolsIn)];
    const described = wanted.filter(
      (id) => was.hidden.some(({ spec }) => spec.id === id) && !was.toolset?.described.includes(id),
    );
    const changes = {
      ...(kind === 'select' ? {} : { groups: some }),
      ...(kind === 'set' ? {} : { tools }),
    };
    const data = { agent: agentKey(agent), mode, reason: kind, described, ...changes };
    this.#append({ type: 'tools.visibility', data });
    for (const id of described) this.#logged.add(id);
  }

  #append(draft: Pick<Draft, 'type' | 'data'>): void {
    this.#log.append({ turn: toTurnId(`turn_${this.#turn}`), author: 'system', ...draft });
    this.#view = foldAll(this.#view, this.#log.blocks.slice(this.#view.head));
  }
}

/** As a store returns it. */
function copy(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function toolsIn({ tools }: { tools: readonly string[] }): readonly string[] {
  return tools;
}

function idsOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ spec }) => spec.id);
}
