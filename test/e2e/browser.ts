import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { patient } from '../tools/machine-speed.ts';
import { reportSlowPages } from './slow-page/slow-page-report.ts';

/** Chromium without windows takes a quarter of the processor time of a whole one. */
const places = [
  'chromium-headless-shell',
  ...['chromium', 'chromium-browser', 'google-chrome'],
].map((name) => `/usr/bin/${name}`);

const python = '/usr/bin/python3';
const blind = join(import.meta.dirname, 'network-changes/blind-to-networks.py');

/**
 * The browser of this machine. What its slow pages wait for is printed. Unless it `seesNetworks`, its requests go on when
 * other tests add interfaces to the machine.
 */
export async function openBrowser({ seesNetworks = false } = {}): Promise<Browser> {
  const place = places.find((each) => existsSync(each));
  if (place === undefined) throw new Error(`no Chromium: none of ${places.join(', ')}`);
  const isBlind = !seesNetworks && existsSync(python);
  const browser = await chromium.launch({
    executablePath: isBlind ? blind : place,
    env: { ...process.env, TIMELOOM_TEST_BROWSER: place },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  reportSlowPages(browser, { afterMs: 0.4 * showMsMax });
  return browser;
}

/** How long a page may take to show what it must: on a machine that others share, long. */
export const showMsMax = patient(100_000);

/** What the page complains about: errors of scripts, and everything the browser refuses to load. */
export function complaints(page: Page): readonly string[] {
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(message.text());
  });
  return heard;
}

/** A theme that has just changed is shown and judged with its own colours. */
export async function settleColours(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => each instanceof CSSTransition)
        .map(({ finished }) => finished),
    ),
  );
}

const shots = process.env['TIMELOOM_SHOTS'];

/** A picture of the page, in the folder that `TIMELOOM_SHOTS` names. */
export async function shot(page: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  await mkdir(shots, { recursive: true });
  await settleColours(page);
  await page.screenshot({ path: `${shots}/${name}.png` });
}
