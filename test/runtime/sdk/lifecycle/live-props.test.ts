import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Scope } from '../../../../runtime/base/scope.ts';
import { followProps } from '../../../../runtime/cli/wiring/props-follower.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { livePropsSpace } from '../../../../runtime/sdk/compile/lifecycle/live-props.ts';
import type { RuntimeBundle } from '../../../../runtime/sdk/contract/runtime-bundle.ts';
import {
  defineOperation,
  defineProps,
  defineResource,
  type Operation,
} from '../../../../runtime/sdk/index.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { bundleWith, type Compiling, compile, createReadableLog } from '../kit.ts';

const settings = defineProps(
  z.object({ region: z.enum(['eu', 'us']), unit: z.enum(['ms', 's']).default('ms') }),
);
const opened: number[] = [];
const cache = defineResource({
  id: 'cache',
  open: () => {
    opened.push(1);
    return new Map<string, string>();
  },
});
const regions = defineOperation({
  id: 'regions',
  input: z.object({}),
  run: async (_, ctx) => {
    const kept = await ctx.use(cache);
    return { ...ctx.props(settings), changes: kept.get('changes') ?? '' };
  },
});

const place = { tenant: 'acme', project: 'ops' };
const { signal } = new AbortController();
let scope = new Scope();
afterEach(async () => {
  await scope[Symbol.asyncDispose]();
  scope = new Scope();
  opened.length = 0;
});

/** A bundle whose cache keeps each region that was in force at each change of the props. */
async function open(options: Compiling = {}): Promise<RuntimeBundle> {
  const bundle = bundleWith([], {
    props: settings,
    resources: [cache],
    operations: [regions] satisfies Operation[],
    onPropsChanged: async (ctx) => {
      const kept = await ctx.use(cache);
      const { region } = ctx.props(settings);
      kept.set('changes', `${kept.get('changes') ?? ''}${region} `);
      if (region === 'us') throw new Error('the cache of us is away');
    },
  });
  const compiled = await compile(bundle, { props: { region: 'eu' }, ...options });
  scope.defer(() => compiled.dispose());
  return compiled;
}

async function tells({ operations }: RuntimeBundle): Promise<unknown> {
  const url = 'http://here/';
  const request = { method: 'POST', url, headers: [], body: Buffer.from('{}') };
  const answer = await operations[0]?.answer(request, { signal });
  return JSON.parse(Buffer.from(answer?.body ?? []).toString()).ret;
}

// proves: props.live, props.changed
test('live props are in force when onPropsChanged runs, also in open resources', async () => {
  const bundle = await open();
  expect(await tells(bundle)).toEqual({ region: 'eu', unit: 'ms', changes: '' });
  await bundle.props.set({ unit: 's' }, { signal });
  expect(await tells(bundle)).toEqual({ region: 'eu', unit: 's', changes: 'eu ' });
  await bundle.props.set({}, { signal });
  expect(await tells(bundle)).toEqual({ region: 'eu', unit: 'ms', changes: 'eu eu ' });
  expect(opened).toHaveLength(1);
});

// proves: props.changed
test('an error in onPropsChanged is logged and changes nothing', async () => {
  const { log, lines } = createReadableLog();
  const bundle = await open({ host: { log } });
  await bundle.props.set({ region: 'us' }, { signal });
  expect(await tells(bundle)).toMatchObject({ region: 'us', changes: 'us ' });
  expect(lines).toContainEqual({
    message: 'onPropsChanged failed',
    facts: { bundle: 'acme', because: 'the cache of us is away' },
  });
});

// proves: props.unfit
test.each([
  [{ region: 'mars' }, 'invalid props: region:'],
  [{ planet: 'mars' }, 'unknown props: planet'],
])('props that do not fit are refused, and those before stay: %j', async (live, because) => {
  const bundle = await open();
  await bundle.props.set({ unit: 's' }, { signal });
  await expect(bundle.props.set(live, { signal })).rejects.toThrow(because);
  expect(bundle.props.live).toEqual({ unit: 's' });
  expect(await tells(bundle)).toMatchObject({ region: 'eu', unit: 's', changes: 'eu ' });
});

// proves: props.kept
test('earlier live props apply from the start, and are ignored with a notice if they do not fit', async () => {
  expect(await tells(await open({ liveProps: { unit: 's' } }))).toMatchObject({ unit: 's' });
  const other = await open({ liveProps: { unit: 'years' } });
  expect(await tells(other)).toMatchObject({ unit: 'ms' });
  expect(other.notices.join()).toContain('the live props do not fit this revision');
});

// proves: props.fleet
test('live props reach the other processes, and a misfit is reported once', async () => {
  const clock = manualClock('2030-01-01T00:00:00.000Z');
  const storage = createMemoryStorage(() => clock.now());
  const { log, lines } = createReadableLog();
  const [bundle] = [await open()];
  scope.own(followProps({ storage, clock, log, place, bundles: () => [bundle] }, { signal }));
  const keep = async (value: { region: string }) => {
    await storage.set(livePropsSpace(place), 'acme', { value });
    await clock.advance(2_000);
    return tells(bundle);
  };
  expect(await keep({ region: 'us' })).toMatchObject({ region: 'us', changes: 'us ' });
  expect(await keep({ region: 'mars' })).toMatchObject({ region: 'us', changes: 'us ' });
  expect(await keep({ region: 'mars' })).toMatchObject({ region: 'us', changes: 'us ' });
  expect(await keep({ region: 'eu' })).toMatchObject({ region: 'eu', changes: 'us eu ' });
  const unfit = lines.filter(({ message }) => message === 'props from another process rejected');
  expect(unfit).toHaveLength(1);
});
