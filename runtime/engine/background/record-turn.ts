import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import type { LongTermMemory } from '../../tools/ports/long-term-memory.ts';
import { agentKey } from '../agent/visible-agent.ts';
import { readPageMax, recordingDelayMs, recordingDelayMsMax } from '../limits.ts';
import type { Engine } from '../ports/engine.ts';
import { extractFacts } from './extract-facts.ts';
import { laneOf, recordingKey } from './recording-lanes.ts';
import { messagesOf } from './turn-messages.ts';

const Input = z.object({
  tenant: z.string(),
  project: z.string(),
  user: z.string(),
  conversation: z.string(),
  turn: z.string(),
  /** Seq of the last block before the turn. */
  after: z.int().min(0),
  bundle: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  /** Checks so far. -1: the turn is known to be closed. */
  tries: z.int().min(-1),
});
type Input = z.infer<typeof Input>;
type Waits = { readonly signal: AbortSignal };

/**
 * Records a closed turn in the long-term memory, once. While the turn is open, the recording is enqueued again. A turn that
 * no longer exists is not recorded.
 */
export async function recordTurn(engine: Engine, input: Json, { signal }: Waits): Promise<void> {
  const asked = Input.parse(input);
  const { memory } = engine;
  const agent = engine.agent({ bundle: asked.bundle, agent: asked.agent }, asked);
  const row = await engine.store.find(asked, asked.conversation, { signal });
  if (!memory || !agent || !row) return;
  const blocks = await blocksOfTurn(engine, { row, ...asked }, signal);
  if (!blocks.some(({ type }) => type === 'turn.close')) {
    if (asked.tries >= 0) await checkLater(engine, asked);
    return;
  }
  const { tenant, project, user, turn: op, conversation } = asked;
  const owner = { tenant, project, user, agent: agentKey(agent) };
  const messages = messagesOf(blocks);
  if (messages.length === 0 || (await memory.isRecorded(owner, op, { signal }))) return;
  const [scope = 'user'] = agent.memory.scopes;
  const content = memory.extracts
    ? { messages }
    : { facts: await extractFacts(engine, { agent, owner, scope, messages, memory, signal }) };
  await memory.record({ owner, scope, op, conversation, content }, { signal });
  await dropIfErased(engine, { memory, asked, signal });
}

type TurnPlace = { readonly row: ConversationRow; readonly turn: string; readonly after: number };

async function blocksOfTurn(
  { store }: Engine,
  { row, turn, after }: TurnPlace,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const found: Block[] = [];
  let seen = after;
  for (;;) {
    const page = await store.read(row.key, { after: toSeq(seen), limit: readPageMax, signal });
    const own = page.filter((block) => block.turn === turn);
    found.push(...own);
    const isOver = page.length < readPageMax || own.some(({ type }) => type === 'turn.close');
    if (isOver) return found;
    seen = page.at(-1)?.seq ?? seen;
  }
}

async function checkLater({ background }: Engine, asked: Input): Promise<void> {
  const tries = asked.tries + 1;
  await background?.enqueue({
    job: laneOf(asked.conversation),
    key: recordingKey(asked.turn, tries),
    input: { ...asked, tries },
    delayMs: Math.min(recordingDelayMsMax, recordingDelayMs * 2 ** Math.min(tries, 16)),
  });
}

type Recorded = { readonly memory: LongTermMemory; readonly asked: Input } & Waits;

/** The conversation was erased while its turn was recorded: the erasure may have been faster. */
async function dropIfErased({ store }: Engine, { memory, asked, signal }: Recorded): Promise<void> {
  const { conversation } = asked;
  if (await store.find(asked, conversation, { signal })) return;
  await memory.forget(asked, { conversation }, { signal });
}
