import { z } from 'zod';
import type { Block } from '../../../runtime/sdk/define/block.ts';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineHook,
  defineTool,
} from '../../../runtime/sdk/index.ts';

export type House = Omit<Parameters<typeof defineHook>[0], 'id'>;
/** Names that the tool has looked up. */
export const ran: string[] = [];

const find = defineTool({
  id: 'crm.find',
  description: 'Finds a customer.',
  input: z.object({ name: z.string() }),
  effects: 'none',
  run: ({ name }, ctx) => {
    ran.push(name);
    ctx.emit('crm.seen', { name });
    return { name, phone: '555' };
  },
});
const outer = defineTool({
  id: 'crm.outer',
  description: 'Finds through another tool.',
  input: z.object({ name: z.string() }),
  run: (input, ctx) => ctx.call(find, input),
});
const alert = defineEvent({
  kind: 'alert',
  reactive: true,
  payload: z.object({ n: z.number() }),
  text: ({ n }) => `ALERT ${n}`,
});

/** What observers have seen, and a promise for the end of the turn. */
export let seen: Block[] = [];
export let ended = deferred();
const watching: House = {
  observe: {
    block: (block) => {
      seen.push(block);
      if (block.type === 'turn.close') ended.resolve();
    },
  },
};

export function bundleWith(...given: readonly House[]) {
  const hooks = [...given, watching];
  seen = [];
  ended = deferred();
  ran.length = 0;
  return defineBundle({
    id: 'acme',
    version: '1',
    agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [find, outer] })],
    events: [alert],
    hooks: hooks.map((hook, n) => defineHook({ id: `house-${n}`, ...hook })),
  });
}

export function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export const call = { call: { tool: 'crm.find', input: { name: 'Ann' } } };
export const done = { answer: 'Done.' };
