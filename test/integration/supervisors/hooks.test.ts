import { expect, test } from 'vitest';
import type { AgentSettings } from '../../../runtime/sdk/contract/agent-settings.ts';
import { toSeq, toTurnId } from '../../../runtime/timeline/ids.ts';
import type { Tool } from '../../../runtime/tools/ports/tool.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { error, openWorld, ret } from '../../runtime/tools/kit.ts';
import { patient } from '../../tools/machine-speed.ts';
import { isAlive, openDesk, ticksOf, until, type Where } from './kit.ts';

const source = `
import { defineAgent, defineBundle, defineHook, defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';
const input = z.object({ n: z.number() });
let seen = 0;
const find = defineTool({ id: 'desk.find', description: 'f', input, effects: 'none',
  run: ({ n }, ctx) => { ctx.emit('found', { n }); return { n, seen, pid: process.pid }; } });
const outer = defineTool({ id: 'desk.outer', description: 'o', input, run: (given, ctx) => ctx.call(find, given) });
const house = defineHook({
  id: 'house',
  guard: {
    tool: async ({ tool, input: { n } }, ctx) => {
      if (n === 13) throw new Error('unlucky ' + (await ctx.storage.user.get('none', z.string())));
      if (n === 99) for (;;);
      if (n === 7 && tool === 'desk.find') return refuse('closed', 'Seven is closed in ' + ctx.ids.conversation);
    },
    emit: ({ data }) => (data.n === 2 ? refuse('no', 'No.') : undefined),
    event: ({ text }, ctx) => (text === 'no' ? refuse('closed', 'Not ' + ctx.ids.user) : undefined),
    completion: ({ text }) => (text === 'no' ? refuse('private', 'No.') : undefined),
  },
  transform: {
    tool: ({ input: { n } }) => ({ n: n === 3 ? 4 : n }),
    result: (result) => ({ ...result, ret: { ...result.ret, hooked: process.pid } }),
    completion: ({ text }) => ({ text: text + '!' }),
  },
  observe: { block: () => { seen += 1; } },
});
const own = defineHook({ id: 'own', transform: {
  reasoning: ({ hints }) => ({ hints: [...hints, 'in ' + process.pid] }) } });
export const bundle = defineBundle({ id: 'desk', version: '1', hooks: [house],
  agents: [defineAgent({ id: 'main', instruction: 'x', tools: [find, outer], hooks: [own],
    hint: (ctx) => 'for ' + ctx.ids.user })] });
`;

async function openHouse(where: Where) {
  const folder = await openFolder({ 'bundle.ts': source });
  const desk = await openDesk({ where, dir: folder.dir });
  return {
    desk,
    close: async () => {
      await desk[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const block = {
  conversation: 'conv_1',
  turn: toTurnId('turn_1'),
  at: '',
  author: 'user',
  meta: {},
} as const;

test.for(['in_worker', 'separate'] as const)(
  'hooks hold wherever the code of a bundle runs (%s)',
  async (where) => {
    const { desk, close } = await openHouse(where);
    try {
      const world = await openWorld();
      const find: Tool = desk.tool('find');
      const run = (n: number, tool = find) => world.perform(tool, { n });
      const first = ret(await run(1)) as { n: number; pid: number; hooked: number };
      expect(first.hooked).toBe(first.pid);
      expect(first.pid === process.pid).toBe(where === 'in_worker');
      expect(ret(await run(3))).toMatchObject({ n: 4 });
      expect(error(await run(7))).toMatchObject({
        code: 'closed',
        message: 'Seven is closed in conv_main',
      });
      expect(error(await run(13))?.code).toBe('denied');
      expect(error(await run(7, desk.tool('outer')))).toMatchObject({ code: 'closed' });
      await run(2);
      const emitted = world.live.flatMap((piece) => (piece.kind === 'live' ? [piece.data] : []));
      expect(emitted).toEqual([{ n: 1 }, { n: 4 }]);

      const asking = { user: 'ann', signal: AbortSignal.timeout(patient(30_000)) };
      const admit = desk.bundle.admitEvent;
      expect(await admit?.({ kind: 'prompt', text: 'no' }, asking)).toMatchObject({
        ok: false,
        error: { code: 'closed', message: 'Not ann' },
      });
      expect(await admit?.({ kind: 'prompt', text: 'yes' }, asking)).toMatchObject({ ok: true });
      const { hooks }: AgentSettings = desk.bundle.agents[0];
      const context = { call: await world.contextOf(find, { n: 1 }), agent: 'main' };
      expect(await hooks?.completion?.('yes', context)).toMatchObject({ ok: true, value: 'yes!' });
      const reasoning = { round: 1, phase: 'decision', hints: [] } as const;
      expect(await hooks?.reasoning?.(reasoning, { ...asking, conversation: 'conv_1' })).toEqual({
        ok: true,
        value: ['for ann', `in ${first.pid}`],
        failed: [],
      });
      hooks?.observe?.({ ...block, seq: toSeq(1), type: 'turn.open' }, { user: 'ann' });
      await until('the block was observed', async () => {
        const { seen } = ret(await run(1)) as { seen: number };
        return seen === 1;
      });
    } finally {
      await close();
    }
  },
);

test('a guard that runs in a circle is refused for, and the next call has a process again', async () => {
  const { desk, close } = await openHouse('separate');
  try {
    const world = await openWorld();
    const stop = new AbortController();
    const find = desk.tool('find');
    const { pid } = ret(await world.perform(find, { n: 1 })) as { pid: number };
    const before = await ticksOf(pid);
    const cut = world.perform(find, { n: 99 }, { signal: stop.signal });
    await until('the guard runs in a circle', async () => (await ticksOf(pid)) > before + 20);
    stop.abort();
    expect(error(await cut)?.code).toBe('interrupted');
    await until('the process has ended', async () => !(await isAlive(pid)));
    expect(ret(await world.perform(find, { n: 1 }))).toMatchObject({ n: 1 });
  } finally {
    await close();
  }
});
