import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../runtime/adapters/memory/timeline-store.ts';
import { toProtocolText } from '../../../runtime/adapters/models/scripted/protocol-text.ts';
import { parseScript, type Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import type { Engine } from '../../../runtime/engine/ports/engine.ts';
import {
  type Model,
  type ModelEvent,
  type ModelRequest,
  messagesOf,
  type PromptMessage,
} from '../../../runtime/engine/ports/model.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import type { Block, Draft } from '../../../runtime/timeline/block.ts';
import { toConversationKey, toSeq, toTurnId, turnToChoose } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import type { BlobStore } from '../../../runtime/timeline/ports/blobs.ts';
import type { TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { countTokens } from '../../../runtime/timeline/tokens.ts';
import { controlTools } from '../../../runtime/tools/react/control-tools.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import { type Chance, createChance } from '../../runtime/engine/simulation/chance.ts';
import { type StoryClock, storyClock } from './clock.ts';
import { type Billed, createMarkedCache, type ProviderCache, type SentBlock } from './provider.ts';
import { analystTools } from './tools.ts';
import { prose, type TurnStory, writeStory } from './workload.ts';

/** One request as it was sent, and what the simulated provider billed for it. */
export type Sent = {
  readonly atMs: number;
  readonly role: ModelRequest['role'];
  readonly blocks: readonly SentBlock[];
  readonly billed: Billed;
};
export type Recording = { readonly log: readonly Block[]; readonly requests: readonly Sent[] };

const sender = { tenant: 'bench', project: 'bench', user: 'ann' };
const { signal } = new AbortController();
const nothing = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, longWriteTokens: 0 };
export const imageTokens = 150;

/** What a story stands on: by default memory, a clock that only the story moves, and a provider with marks. */
export type Stage = {
  readonly clock: StoryClock;
  readonly store: TimelineStore;
  readonly blobs: BlobStore;
  /** Absent: nothing is metered, and no request kept. */
  readonly cache?: ProviderCache;
};

function memoryStage(scope: Scope): Stage {
  const clock = storyClock();
  const store = scope.own(openMemoryTimelineStore({ clock }));
  const blobs = scope.own(openMemoryBlobStore());
  return { clock, store, blobs, cache: createMarkedCache() };
}

type Telling = { readonly stage?: Stage; readonly promptForm?: 'text' | 'messages' };

/** Plays a story on the real engine. Default: over memory, in text form. */
export async function tell(
  turns: number,
  seed: number,
  { stage, promptForm = 'text' }: Telling = {},
): Promise<Recording> {
  await using scope = new Scope();
  const { clock, store, blobs, cache } = stage ?? memoryStage(scope);
  const bus = scope.own(openMemoryBus());
  const chance = createChance(seed + 1);
  const model = createBilledModel({ clock, chance, cache });
  const agent = agentWith({
    instruction: prose(chance, 120),
    tools: [...controlTools, ...analystTools(clock, chance)],
    budgets: { rounds: 15, wallMs: 24 * 3_600_000, actionsPerRound: 2 },
    promptForm,
  });
  const engine: Engine = {
    store,
    blobs,
    bus,
    clock,
    ids: randomIds,
    log: silentLog,
    worker: 'worker_bench',
    agent: () => agent,
    model: () => model,
  };
  const worker = scope.own(new Worker(engine, { signal }));
  const accept = async (events: readonly Draft[], text: string) => {
    const message = events[0]?.event ?? '';
    const { key } = await store.accept(
      {
        sender,
        conversation: 'conv_bench',
        newConversation: 'conv_bench',
        message,
        digest: message,
        events,
        reactive: true,
        newTurn: toTurnId(randomIds.next('turn')),
        turnData: { bundle: 'test', agent: 'main', text },
      },
      { signal },
    );
    return key ?? toConversationKey(0);
  };
  let key = toConversationKey(0);
  for (const story of writeStory(turns, seed)) {
    clock.pass(story.pauseMs);
    model.next(story, async (text) => {
      await accept([followup(text)], text);
    });
    const { hash } = await blobs.put(sender.tenant, new Uint8Array(1_000), { signal });
    key = await accept(promptOf(story, { hash, size: 1_000 }), story.prompt);
    bus.wake(key);
    await worker.idle();
    clock.turn?.();
  }
  const log = await readAll((after) =>
    store.read(key, { after: toSeq(after), limit: 1_000, signal }),
  );
  return { log, requests: model.requests };
}

async function readAll(
  read: (after: number) => Promise<readonly Block[]>,
): Promise<readonly Block[]> {
  const log: Block[] = [];
  for (;;) {
    const page = await read(log.length);
    if (page.length === 0) return log;
    log.push(...page);
  }
}

function promptOf(
  { prompt, images }: TurnStory,
  blob: { hash: string; size: number },
): readonly Draft[] {
  const event = randomIds.next('msg');
  const base = { turn: turnToChoose, author: 'user' as const, event };
  return [
    { ...base, type: 'user.prompt', path: paths.prompt(turnToChoose), text: prompt, data: {} },
    ...Array.from({ length: images }, (_, n) => ({
      ...base,
      type: 'user.attachment',
      path: paths.attachment(turnToChoose, `shot-${n}.png`),
      mime: 'image/png',
      blob,
      data: { filename: `shot-${n}.png`, size: blob.size },
    })),
  ];
}

function followup(text: string): Draft {
  const event = randomIds.next('msg');
  const path = paths.external(turnToChoose, 'followup', event);
  return {
    type: 'external.followup',
    turn: turnToChoose,
    author: 'user',
    event,
    path,
    text,
    data: {},
  };
}

type Say = (text: string) => Promise<void>;
type BilledModel = Model & { readonly requests: Sent[]; next(story: TurnStory, say: Say): void };
type Bill = {
  readonly clock: StoryClock;
  readonly chance: Chance;
  readonly cache: ProviderCache | undefined;
};

function createBilledModel({ clock, chance, cache }: Bill): BilledModel {
  const requests: Sent[] = [];
  let replies: Reply[] = [];
  let said = 0;
  let story: TurnStory | undefined;
  let say: Say = async () => {};
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const billed = cache ? meter(request, cache) : nothing;
    clock.pass(2_000 + chance.below(9_000));
    const text = request.role === 'decision' ? await decide() : prose(chance, 220);
    yield { kind: 'text', text };
    const usage = { ...billed, outputTokens: countTokens(text) };
    yield { kind: 'done', finish: 'stop', usage, model: 'simulated' };
  }
  function meter(request: ModelRequest, by: ProviderCache): Billed {
    const blocks = toBlocks(request);
    const billed = by.meter(blocks, clock.now());
    requests.push({ atMs: clock.now(), role: request.role, blocks, billed });
    return billed;
  }
  async function decide(): Promise<string> {
    said += 1;
    if (story?.followup?.atRound === said) await say(story.followup.text);
    const reply: Reply = replies.shift() ?? { answer: 'Done, that too.' };
    const [parsed] = parseScript([reply]).replies;
    return parsed ? toProtocolText(parsed) : '';
  }
  return {
    id: 'simulated:model',
    contextTokens: 1_000_000,
    requests,
    stream,
    costUsd: () => 0,
    next: (next, way) => {
      story = next;
      say = way;
      replies = [...next.replies];
      said = 0;
    },
  };
}

/** As the adapter for a provider with marks sends it: one on the system text, the others as the renderer set them. */
function toBlocks(request: ModelRequest): readonly SentBlock[] {
  const { system } = request;
  const messages = messagesOf(request).flatMap(({ role, parts }) =>
    parts.map((part: MessagePart) => toBlock(role, part)),
  );
  return [{ text: system, tokens: tokensOf(system), mark: 'long' }, ...messages];
}

type MessagePart = PromptMessage['parts'][number];

function toBlock(role: PromptMessage['role'], part: MessagePart): SentBlock {
  const content = 'text' in part ? part.text : JSON.stringify(part);
  const text = role === 'assistant' ? `assistant: ${content}` : content;
  const isFile = part.kind === 'image' || part.kind === 'document';
  const tokens = isFile ? imageTokens : tokensOf(text);
  return 'checkpoint' in part ? { text, tokens, mark: 'short' } : { text, tokens };
}

/** What an agent loop without our protocol has above its messages: the same task and the schemas of the same tools. */
export function plainSystem(requests: readonly Sent[]): string {
  const system = requests[0]?.blocks[0]?.text ?? '';
  const tools = analystTools(storyClock(), createChance(0)).map(({ spec }) => JSON.stringify(spec));
  return [/# Your task\n.*/.exec(system)?.[0], ...tools].join('\n');
}

const counted = new Map<string, number>();

export function tokensOf(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = countTokens(text);
  counted.set(text, tokens);
  return tokens;
}
