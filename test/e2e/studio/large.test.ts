import { expect, test } from 'vitest';
import { openStage, type Stage } from '../../runtime/gateway/stage.ts';
import { jsonSlowness } from '../../tools/machine-speed.ts';
import { openBrowser, showMsMax } from '../browser.ts';
import { writeLargeLog } from './large-log.ts';

// proves: workbench.large
test('in a conversation of 10,000 blocks, a click takes at most a second', async () => {
  await using stage: Stage = await openStage();
  await using browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Inspector' }).getByRole('link', { name });
  await writeLargeLog(stage, { conversation: 'conv_large', blocks: 10_000 });
  await page.goto(`${stage.gateway.url}/studio/#conv_large`);
  await page.locator('.part').first().waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  /** Milliseconds of processor time: of the page, and of this process, in which the server runs. */
  const worked = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    const { user, system } = process.cpuUsage();
    const task = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    return task * 1_000 + (user + system) / 1_000;
  };
  const took = async (act: () => Promise<void>, ready: string): Promise<Click> => {
    const [before, busyBefore] = [performance.now(), await worked()];
    await act();
    await page.locator(ready).first().waitFor();
    const wallMs = performance.now() - before;
    return { wallMs, busyMs: (await worked()) - busyBefore };
  };
  const steps = {
    sentence: () => took(() => page.locator('.answer a').last().click(), '.sources li a'),
    source: () => took(() => page.locator('.sources li a').first().click(), '.block-body'),
    reply: () => took(() => tab('Reply').click(), '.reply pre'),
    blocks: () => took(() => tab('Blocks').click(), '.block-row'),
    trace: () => took(() => tab('Trace').click(), '.lane-bar'),
    cache: () => took(() => tab('Cache').click(), '.bars a'),
    prompt: () => took(() => tab('Prompt').click(), '.part'),
    before: () => took(() => page.keyboard.press('k'), '.prompt:not([aria-busy=true] .prompt)'),
    end: () => took(() => page.keyboard.press('j'), '.part'),
  };
  // What took too long is tried again: the first time has to compile, and others use this machine as well.
  const best = new Map<string, Click>();
  const mostMs = clickMsMax * jsonSlowness();
  const isSlow = (name: string) => {
    const { wallMs, busyMs } = best.get(name) ?? unknown;
    return busyMs > mostMs || (wallMs > mostMs && !isShared());
  };
  for (let time = 0; time < 4; time += 1) {
    if (!Object.keys(steps).some(isSlow)) break;
    for (const [name, step] of Object.entries(steps)) {
      const [before, now] = [best.get(name) ?? unknown, await step()];
      const wallMs = Math.min(before.wallMs, now.wallMs);
      best.set(name, { wallMs, busyMs: Math.min(before.busyMs, now.busyMs) });
    }
  }
  expect([...best].filter(([name]) => isSlow(name))).toEqual([]);
});

/** How long a click took, and how much of the processors it took, in page and server together. */
type Click = { readonly wallMs: number; readonly busyMs: number };
const unknown: Click = { wallMs: Number.POSITIVE_INFINITY, busyMs: Number.POSITIVE_INFINITY };

/** Whether other programs take more than half of a processor from this one: then only processor time can be judged. */
function isShared(): boolean {
  const [before, busyBefore] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(busyBefore);
    const busyMs = (user + system) / 1_000;
    if (busyMs > spinMs) return performance.now() - before > 2 * busyMs;
  }
}

const spinMs = 60;
/** On a machine of usual speed. */
const clickMsMax = 1_000;
