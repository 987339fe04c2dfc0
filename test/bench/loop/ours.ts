import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../runtime/adapters/memory/timeline-store.ts';
import { createOpenaiModel } from '../../../runtime/adapters/models/providers/openai/openai.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Scope } from '../../../runtime/base/scope.ts';
import type { Protocol } from '../../../runtime/channels/protocol/reply-piece.ts';
import type { Engine } from '../../../runtime/engine/ports/engine.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  toConversationKey,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import { createTool } from '../../../runtime/tools/definition/create-tool.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import type { OpenPeer } from './peer.ts';

const sender = { tenant: 'bench', project: 'bench', user: 'ann' };
const { signal } = new AbortController();

const add = createTool({
  id: 'math.add',
  description: 'Adds two numbers.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ a: z.number(), b: z.number() }),
  run: async ({ a, b }) => ({ result: { ok: true, ret: `the sum is ${a + b}` } }),
});

/** The engine over memory adapters: each turn is a conversation of its own, with its log, lease and live stream. */
export function openOurs(protocol: Protocol, scope: Scope): OpenPeer {
  return async ({ url, prompt, instruction }) => {
    const store = scope.own(openMemoryTimelineStore({ clock: systemClock }));
    const bus = scope.own(openMemoryBus());
    const model = createOpenaiModel({
      model: 'instant',
      flavour: 'openai-compatible',
      baseUrl: url,
    });
    const agent = agentWith({ instruction, protocol, tools: [add] });
    const engine: Engine = {
      store,
      blobs: scope.own(openMemoryBlobStore()),
      bus,
      clock: systemClock,
      ids: randomIds,
      log: silentLog,
      worker: 'worker_bench',
      agent: () => agent,
      model: () => model,
    };
    const worker = scope.own(new Worker(engine, { signal }));
    const workedOn = async (key: ConversationKey): Promise<readonly Block[]> => {
      bus.wake(key);
      await worker.idle();
      const blocks = await store.read(key, { after: toSeq(0), limit: 1_000, signal });
      if (blocks.some(({ type }) => type === 'turn.close')) return blocks;
      // The worker had not begun to listen.
      await setImmediate();
      return workedOn(key);
    };
    return async () => {
      const message = randomIds.next('msg');
      const path = paths.prompt(turnToChoose);
      const base = { turn: turnToChoose, author: 'user', event: message, data: {} } as const;
      const { key = toConversationKey(0) } = await store.accept(
        {
          sender,
          conversation: `conv_${message}`,
          newConversation: `conv_${message}`,
          message,
          digest: message,
          events: [{ ...base, type: 'user.prompt', path, text: prompt }],
          reactive: true,
          newTurn: toTurnId(randomIds.next('turn')),
          turnData: { bundle: 'test', agent: 'main', text: prompt },
        },
        { signal },
      );
      const blocks = await workedOn(key);
      const answer = blocks.findLast(({ type }) => type.startsWith('assistant.completion'));
      return answer?.text ?? `no answer: ${blocks.map(({ type }) => type).join(' ')}`;
    };
  };
}
