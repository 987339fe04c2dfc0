import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { isFault } from '../../../../runtime/base/fault.ts';
import type { Ids } from '../../../../runtime/base/ids.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { systemOf } from '../../../../runtime/engine/agent/prompt-inputs.ts';
import {
  announceTokensOf,
  outputTokensOf,
} from '../../../../runtime/engine/agent/reserved-tokens.ts';
import type { Bus } from '../../../../runtime/engine/ports/bus.ts';
import type { Engine } from '../../../../runtime/engine/ports/engine.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import type { AgentSettings, Policies } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { isClock } from '../../../../runtime/testing/clock.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import { rememberedDecision } from '../../../../runtime/timeline/close/waits.ts';
import { type ConversationKey, noTurn, toSeq } from '../../../../runtime/timeline/ids.ts';
import type { Lease } from '../../../../runtime/timeline/ports/store.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import type { CallContext } from '../../../../runtime/tools/ports/tool.ts';
import { agentWith } from '../kit/harness.ts';
import { type Chance, createChance } from './chance.ts';
import { loopPolicies } from './loop-policies.ts';
import { laterGroup } from './many-tools.ts';
import { planSettings, planTools } from './plans.ts';
import { Life, type Mishaps, mortal } from './process-life.ts';
import { createProgramTools } from './programs.ts';
import { createRandomModel } from './random-model.ts';
import { createRandomTools, type Run } from './random-tools.ts';

const workersStarted = 3;
const mishapsMax = 6;
const restartMsMax = 3_000;
const lostSignal = 0.25;
const roomTokens = 500;
const { signal } = new AbortController();

export type WorldOptions = {
  readonly timing: boolean;
  readonly many: boolean;
  readonly answer: AgentSettings['answer'];
  /** Bundles of calls, with the policies of `loopPolicies`. */
  readonly bundles: boolean;
  /** Replies are written in each protocol in turn, and change it after violations. */
  readonly anyProtocol: boolean;
  /** Agents that work for the conversations, in conversations of their own. */
  readonly plans: boolean;
};

/** One store, one bus and one clock, and processes that start and die. */
export function openWorld(
  seed: number,
  {
    timing = false,
    many = false,
    answer = 'inline',
    bundles = false,
    anyProtocol = false,
    plans = false,
  }: Partial<WorldOptions> = {},
) {
  const chance = createChance(seed);
  const manual = manualClock();
  if (!isClock(manual)) throw new Error('a manual clock is a clock');
  const clock: Clock & { advance(ms: number): Promise<void> } = manual;
  const store = openMemoryTimelineStore({ clock });
  const bus = openMemoryBus();
  const blobs = openMemoryBlobStore();
  const ids = countedIds();
  const owners = new Map<string, string>();
  const runs: Run[] = [];
  const defects: string[] = [];
  const prompts: string[] = [];
  const mishaps: Mishaps = { left: chance.below(mishapsMax + 1), timing };
  const policies: Policies = bundles
    ? loopPolicies(seed)
    : { ...agentWith().policies, multiAction: 'safe_fanout', ...(anyProtocol ? impatient : {}) };
  const protocol = anyProtocol ? protocols[seed % protocols.length] : undefined;
  const processes: { life: Life; worker: Worker; stop(): Promise<void> }[] = [];

  function start(): void {
    const name = ids.next('worker');
    const life = new Life({ clock, chance, mishaps, died: () => void restart() });
    const controller = new AbortController();
    const kept = mortal(blobs, life, () => undefined);
    const tools = [
      ...createRandomTools(
        { clock, chance, life, saw: (tool, context) => saw(name, tool, context) },
        { many },
      ),
      ...(timing ? createProgramTools({ chance, clock, ids, blobs: kept }) : []),
      ...planTools(plans),
    ];
    const groups = many ? [laterGroup] : [];
    const budgets = { rounds: 6, wallMs: 600_000, actionsPerRound: bundles ? 8 : 3 };
    const more = { ...(protocol ? { protocol } : {}), ...planSettings(seed, plans) };
    const agent = narrow(
      agentWith({ tools, groups, budgets, policies, answer, ...more }),
      seed % 2 === 0,
    );
    const heard = (prompt: string) => prompts.push(prompt);
    const model = {
      ...createRandomModel(chance, { clock, life, heard, timing, many, bundles, plans }),
      ...(anyProtocol ? { abilities } : {}),
    };
    const engine: Engine = {
      store: mortal(store, life, (method, answer) => noteOwner(name, method, answer)),
      blobs: kept,
      bus: earOf(bus, { life, chance }),
      clock: {
        ...clock,
        sleep: async (ms, waits) => clock.sleep(ms, waits).then(() => life.gone()),
      },
      ids,
      log: { ...silentLog, error: (text, facts) => noteDefect(text, facts) },
      worker: name,
      agent: () => agent,
      model: () => model,
    };
    const worker = new Worker(engine, { signal: controller.signal });
    const stop = async () => {
      controller.abort();
      if (life.dead) life.bury();
      await worker[Symbol.asyncDispose]();
    };
    processes.push({ life, worker, stop });
  }

  async function restart(): Promise<void> {
    await clock.sleep(chance.below(restartMsMax), { signal });
    start();
  }

  /**
   * The only failures of this world are lost connections and dead processes; any other failure is a defect of the
   * engine.
   */
  function noteDefect(text: string, facts?: Readonly<Record<string, unknown>>): void {
    const error = facts?.['error'];
    if (isFault(error) || (error instanceof Error && error.message === 'buried')) return;
    defects.push(`${text}: ${String(error)}`);
  }

  function noteOwner(name: string, method: PropertyKey, answer: unknown): void {
    if (method !== 'acquire' && method !== 'sweep') return;
    const leases = [answer].flat().filter((each): each is Lease => each !== undefined);
    for (const { row } of leases) owners.set(row.id, name);
  }

  function saw(worker: string, tool: string, context: CallContext): Run {
    const { call, key, conversation, view } = context;
    const asked = view.openTurn?.rounds.flatMap(({ calls }) => calls);
    const own = asked?.find((each) => each.call === call && !each.result);
    const allowed = own?.approval?.closed !== undefined || isStanding(view, tool);
    const run = {
      tool,
      call,
      key,
      worker,
      owner: owners.get(conversation),
      intended: own !== undefined,
      allowed,
      finished: false,
    };
    runs.push(run);
    return run;
  }

  for (let count = 0; count < workersStarted; count += 1) start();

  return {
    chance,
    clock,
    store,
    timing,
    policies,
    frames: (key: ConversationKey) => bus.frames(key, toSeq(0), { signal }),
    bus: earOf(bus, { life: undefined, chance }),
    ids,
    runs,
    defects,
    /** Every prompt that a model was sent. */
    prompts,
    busy: () =>
      processes.some(({ life, worker }) => !life.dead && (worker.busy > 0 || !life.hears)),
    close: async () => {
      const stopped = Promise.all(processes.map((each) => each.stop()));
      await clock.advance(60_000);
      await stopped;
    },
  };
}

export type World = ReturnType<typeof openWorld>;

/** The user has approved the tool for longer than one call. */
function isStanding(view: View, tool: string): boolean {
  const turn = view.openTurn?.id ?? noTurn;
  return rememberedDecision(view, { tool, turn }) === true;
}

/** Signals get lost, and dead or frozen processes do not receive them. */
function earOf(bus: Bus, { life, chance }: { life: Life | undefined; chance: Chance }): Bus {
  const hears = () => life?.hears ?? true;
  return {
    wake: (key) => (hears() ? bus.wake(key) : undefined),
    steer: (key, seq) => (hears() ? bus.steer(key, seq) : undefined),
    announce: (key, announcement) => (hears() ? bus.announce(key, announcement) : undefined),
    publish: (key, notes) => (hears() ? bus.publish(key, notes) : undefined),
    onWake: (listener) =>
      bus.onWake((key) => {
        if (hears() && !chance.happens(lostSignal)) listener(key);
      }),
    onSteer: (key, listener) =>
      bus.onSteer(key, (seq) => {
        if (hears() && !chance.happens(lostSignal)) listener(seq);
      }),
    touch: (owner) => (hears() ? bus.touch(owner) : undefined),
    onTouch: (owner, listener) => bus.onTouch(owner, listener),
    subscribe: (key, listener) => bus.subscribe(key, listener),
    frames: (key, from, waits) => bus.frames(key, from, waits),
    forget: (key, waits) => bus.forget(key, waits),
    flush: (waits) => bus.flush(waits),
  };
}

function countedIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => {
      count += 1;
      return `${prefix}_${String(count).padStart(20, '0')}`;
    },
  };
}

/** Another protocol after one unusable reply. */
const impatient = { malformed: { repair: 1 } } as const;
const abilities = { tools: true, forcedChoice: true, json: true };

/** With so little room that a few turns exceed it. */
function narrow(agent: AgentSettings, isNarrow: boolean): AgentSettings {
  if (!isNarrow) return agent;
  // What is reserved depends on the window: the smallest one that leaves this much room.
  for (let maxTokens = 2_000; ; maxTokens += 100) {
    const narrowed = { ...agent, context: { ...agent.context, maxTokens } };
    const reserved = outputTokensOf(narrowed) + announceTokensOf(narrowed);
    if (maxTokens - systemOf(narrowed).tokens - reserved >= roomTokens) return narrowed;
  }
}
