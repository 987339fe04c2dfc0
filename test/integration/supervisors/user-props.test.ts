import { expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { openWorld, ret } from '../../runtime/tools/kit.ts';
import { openDesk, type Where } from './kit.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const source = `
import { defineAgent, defineBundle, defineHook, defineOperation, defineProps, defineTool } from 'timeloom/sdk';
import { z } from 'zod';
const settings = defineProps(z.object({ region: z.string(), unit: z.string().default('ms') }), { perUser: ['unit'] });
const input = z.object({});
let guarded = '';
const show = defineTool({ id: 'desk.show', description: 's', input,
  run: (_, ctx) => ({ ...ctx.props(settings), guarded, pid: process.pid }) });
const watch = defineHook({ id: 'watch', guard: { tool: (_, ctx) => { guarded = ctx.props(settings).unit; } } });
const unit = defineOperation({ id: 'unit', input, run: (_, ctx) => ctx.props(settings).unit });
export const bundle = defineBundle({ id: 'desk', version: '1', props: settings, hooks: [watch], operations: [unit],
  agents: [defineAgent({ id: 'main', instruction: 'x', tools: [show] })] });
`;

// proves: props.user-separate
test.each<Where>(['in_worker', 'separate'])(
  'tools, hooks and operations get the props of their user, %s',
  async (where) => {
    await using folder = await openFolder({ 'bundle.ts': source });
    const storage = createMemoryStorage(() => 0);
    const set = (user: string, value: { [key: string]: string }) =>
      storage.set(`user-props/acme/ops/desk/${user}`, 'props', { value });
    await set('ann', { unit: 's', region: 'not for users' });
    await set('bob', { unit: 'min' });
    const { dir } = folder;
    await using desk = await openDesk({ where, dir, props: { region: 'eu' }, host: { storage } });
    const world = await openWorld();
    const show = async () => ret(await world.perform(desk.tool('show'), {}));
    const ann = await show();
    expect(ann).toMatchObject({ region: 'eu', unit: 's', guarded: 's' });
    expect((ann as { pid: number }).pid === process.pid).toBe(where === 'in_worker');
    // Of this user only, and as it is now.
    await set('ann', { unit: 'h' });
    expect(await show()).toMatchObject({ unit: 'h', guarded: 'h' });
    const ask = async (user: string) => {
      const request = { method: 'POST', url: 'http://x/', headers: [], body: Buffer.from('{}') };
      const { signal } = new AbortController();
      const answer = await desk.bundle.operations[0]?.answer(request, { user, signal });
      return JSON.parse(Buffer.from(answer?.body ?? []).toString());
    };
    expect(await ask('bob')).toEqual({ ok: true, ret: 'min' });
    expect(await ask('eve')).toEqual({ ok: true, ret: 'ms' });
  },
);
