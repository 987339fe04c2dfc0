import { z } from 'zod';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import type { Clock } from '../../../../runtime/base/clock.ts';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import type { Frame } from '../../../../runtime/engine/ports/bus.ts';
import type { Engine } from '../../../../runtime/engine/ports/engine.ts';
import type { ExternalAgents } from '../../../../runtime/engine/ports/external-agent.ts';
import type { Model, ModelRole } from '../../../../runtime/engine/ports/model.ts';
import { replay } from '../../../../runtime/engine/reply/replay.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  toConversationKey,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';

const sender = { tenant: 'dev', project: 'dev', user: 'ann' };

export const add = createTool({
  id: 'math.add',
  description: 'Adds two numbers.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ a: z.number(), b: z.number() }),
  run: async ({ a, b }) => ({ result: { ok: true, ret: a + b } }),
});

export function agentWith(options: Partial<AgentSettings> = {}): AgentSettings {
  return {
    ...agentDefaults,
    id: 'main',
    bundle: 'test',
    revision: 'r1',
    instruction: 'Help.',
    tools: [add],
    groups: [],
    skills: [],
    channels: [],
    ...options,
  };
}

type Saying = {
  kind?: string;
  conversation?: string;
  options?: JsonObject;
  /** The call that the turn makes, without a model. */
  call?: { tool: string; input: JsonObject };
};

/** A worker over memory adapters and a scripted model, with helpers to send events and read the log. */
export async function openHarness(
  replies: readonly Reply[],
  options: {
    agent?: Partial<AgentSettings>;
    /** Other agents, also of other bundles. */
    others?: readonly AgentSettings[];
    /** The model of a role. Undefined: the scripted model. */
    modelOf?: (role: ModelRole) => Model | undefined;
    tools?: readonly Tool[];
    turnsMax?: number;
    /** Wraps the scripted model. */
    through?: (model: Model) => Model;
    clock?: Clock;
    spending?: Engine['spending'];
    showsProviderErrors?: boolean;
    /** Agent programs, which store files in these blobs. */
    externalAgents?: (blobs: BlobStore) => ExternalAgents;
  } = {},
) {
  const { through = (same) => same, clock = systemClock, others = [] } = options;
  const scope = new Scope();
  const agent = agentWith({ ...(options.tools ? { tools: options.tools } : {}), ...options.agent });
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const store = scope.own(openMemoryTimelineStore({ clock }));
  const bus = scope.own(openMemoryBus());
  const blobs = scope.own(openMemoryBlobStore());
  const engine: Engine = {
    store,
    blobs,
    bus,
    clock,
    ids: randomIds,
    log: silentLog,
    worker: 'worker_test',
    turnsMax: options.turnsMax,
    agent: ({ agent: id, bundle }) =>
      [agent, ...others].find(
        (each) => (id === undefined || id === each.id) && (bundle ?? each.bundle) === each.bundle,
      ),
    model: (_, role) => options.modelOf?.(role) ?? through(model),
    spending: options.spending,
    externalAgents: options.externalAgents?.(blobs),
    ...(options.showsProviderErrors ? { showsProviderErrors: true } : {}),
  };
  const { signal } = new AbortController();
  let worker = scope.own(new Worker(engine, { signal }));
  let key = toConversationKey(0);

  async function say(text: string, { kind = 'prompt', conversation, options, call }: Saying = {}) {
    const message = randomIds.next('msg');
    const type = kind === 'prompt' ? 'user.prompt' : `external.${kind}`;
    const path =
      kind === 'prompt' ? paths.prompt(turnToChoose) : paths.external(turnToChoose, kind, message);
    const accepted = await store.accept(
      {
        sender,
        conversation: conversation ?? 'conv_test',
        newConversation: 'conv_test',
        message,
        digest: message,
        events: [
          { type, turn: turnToChoose, author: 'user', event: message, path, text, data: {} },
        ],
        reactive: true,
        newTurn: toTurnId(randomIds.next('turn')),
        turnData: {
          ...{ bundle: 'test', agent: 'main', text },
          ...(options && { options }),
          ...(call && { call }),
        },
      },
      { signal },
    );
    key = accepted.key ?? key;
    bus.announce(key, { head: accepted.seq, wake: true, steer: kind === 'steer' });
    return accepted;
  }

  /** Writes another event: a decision, a client's answer, a recall. */
  async function write(
    draft: Pick<Draft, 'type' | 'path' | 'text' | 'data'>,
    { reactive = true, message = randomIds.next('msg') } = {},
  ) {
    const accepted = await store.accept(
      {
        sender,
        conversation: 'conv_test',
        newConversation: 'conv_test',
        message,
        digest: message,
        events: [{ turn: turnToChoose, author: 'user', event: message, ...draft }],
        reactive,
        newTurn: toTurnId(randomIds.next('turn')),
        turnData: {},
      },
      { signal },
    );
    bus.announce(key, { head: accepted.seq, wake: reactive });
    return accepted;
  }

  const kept = async (hash: string) =>
    Buffer.from(await engine.blobs.get(sender.tenant, hash, { signal })).toString();
  const blocks = (of = key): Promise<readonly Block[]> =>
    store.read(of, { after: toSeq(0), limit: 10_000, signal });

  /** Resolves when the log matches: waits for a bus notification, never for time. */
  async function until(
    found: (blocks: readonly Block[]) => boolean,
    of = key,
  ): Promise<readonly Block[]> {
    for (;;) {
      const head = nextHead(of);
      const now = await blocks(of);
      if (found(now)) {
        head.stop();
        return now;
      }
      await head.notified;
    }
  }

  function nextHead(of: ConversationKey) {
    let stop = () => {};
    const notified = new Promise<void>((resolve) => {
      const tie = bus.subscribe(of, () => {
        tie[Symbol.dispose]();
        resolve();
      });
      stop = () => {
        tie[Symbol.dispose]();
        resolve();
      };
    });
    return { notified, stop };
  }

  return {
    say,
    write,
    blocks,
    until,
    model,
    engine,
    closed: (turns = 1) =>
      until((all) => all.filter(({ type }) => type === 'turn.close').length >= turns),
    worker,
    /** Resolves when the worker has released everything. */
    idle: () => worker.idle(),
    /** Stops the worker. */
    pause: () => worker[Symbol.asyncDispose](),
    /** Stops the worker and starts another one. */
    restart: async () => {
      await worker[Symbol.asyncDispose]();
      worker = scope.own(new Worker({ ...engine, worker: randomIds.next('worker') }, { signal }));
    },
    frames: (): Promise<readonly Frame[]> => bus.frames(key, toSeq(0), { signal }),
    /** At the end of every test: a replay of the log must give the same prompts and the same blocks. */
    [Symbol.asyncDispose]: async () => {
      await using _open = scope;
      const written = key === 0 ? [] : await blocks();
      const { divergence } = await replay(written, { text: kept });
      if (divergence) throw new Error(`a replay differs: ${JSON.stringify(divergence)}`);
    },
  };
}

/** One readable line per block. */
export function outline(
  blocks: readonly Block[],
  ...families: readonly string[]
): readonly string[] {
  return blocks
    .filter(
      ({ type }) => families.length === 0 || families.some((family) => type.startsWith(family)),
    )
    .map(({ type }) => type);
}
