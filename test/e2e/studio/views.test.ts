import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { complaints, shot, showMsMax } from '../browser.ts';
import { onStudioStory } from './on-studio-story.ts';
import { type StudioStory, wrongSentence } from './studio-story.ts';

type Look = { readonly name: string; readonly page: Parameters<Browser['newPage']>[0] };
type View = {
  readonly name: string;
  /** The address after `#`; `ID` stands for the conversation. */
  readonly hash: string;
  readonly ready: string;
  readonly open?: (page: Page) => Promise<void>;
};

let browser: Browser;
let story: StudioStory;
onStudioStory((opened) => {
  ({ browser, story } = opened);
});

const wide = { width: 1440, height: 900 };
const looks: readonly Look[] = [
  { name: 'light', page: { viewport: wide, colorScheme: 'light' } },
  { name: 'dark', page: { viewport: wide, colorScheme: 'dark' } },
  { name: 'phone', page: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } },
  // A browser that magnifies twice has half of the screen for a page.
  { name: 'zoom', page: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 } },
];

const find = encodeURIComponent(wrongSentence);
const views: readonly View[] = [
  { name: 'welcome', hash: '', ready: '.welcome h2' },
  { name: 'prompt', hash: 'ID', ready: '.part' },
  { name: 'sources', hash: `ID?at=20&find=${find}`, ready: '.sources li a' },
  { name: 'block', hash: `ID?at=20&find=${find}&block=8`, ready: '.block-body' },
  { name: 'reply', hash: 'ID?at=20&tab=reply', ready: '.reply pre' },
  { name: 'diff', hash: 'ID?at=20&tab=diff', ready: '.diff pre' },
  { name: 'cache', hash: 'ID?at=20&tab=cache', ready: '.bars a', open: calculate },
  { name: 'blocks', hash: 'ID?tab=blocks&block=8', ready: '.block-row' },
  { name: 'trace', hash: 'ID?at=20&tab=trace', ready: '.lane-bar' },
  { name: 'forks', hash: 'ID?tab=forks', ready: '.forks li' },
  { name: 'rerun', hash: 'ID?at=20', ready: '.part', open: rerun },
  { name: 'compare', hash: 'ID?at=20', ready: '.part', open: compare },
  { name: 'search', hash: 'ID', ready: '.part', open: search },
  { name: 'usage', hash: 'usage', ready: '.usage tbody tr' },
  { name: 'usage by conversation', hash: 'usage?by=conversation', ready: '.usage tbody tr' },
  { name: 'usage by tool', hash: 'usage?by=tool', ready: '.usage tbody tr' },
  { name: 'feedback', hash: 'feedback', ready: '.ratings li' },
  { name: 'live', hash: 'live', ready: '.metrics div' },
  { name: 'agents', hash: 'agents', ready: '.agent', open: openAll },
  { name: 'evals', hash: 'evals', ready: '.evals tbody tr', open: openAll },
  { name: 'unknown', hash: 'conv_00000000000000000000', ready: '[role=alert]' },
];

async function openAll(page: Page): Promise<void> {
  await page.evaluate(
    "for (const each of document.querySelectorAll('main details')) each.open = true",
  );
}

async function calculate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Calculate' }).click();
  await page.locator('.what-if output').waitFor();
}

async function rerun(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit and rerun' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Prompt' }).waitFor();
}

async function compare(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Two runs side by side' }).waitFor();
}

async function search(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Conversations' }).getByText('Filters').click();
  await page.getByRole('searchbox').fill('reports differ');
  await page.locator('.list mark').first().waitFor();
}

// proves: workbench.accessible
// proves: workbench.phone
test.each(looks)(
  'no view breaks a rule of accessibility or is wider than the screen: $name',
  async (look) => {
    const page = await browser.newPage(look.page);
    page.setDefaultTimeout(showMsMax);
    const heard = complaints(page);
    for (const { name, hash, ready, open } of views) {
      await page.goto('about:blank');
      await page.goto(`${story.runtime.url}/studio/#${hash.replace('ID', story.conversation)}`);
      await page.locator(ready).first().waitFor();
      await open?.(page);
      await shot(page, `studio-${name}-${look.name}`);
      expect([name, await brokenRules(page)]).toEqual([name, []]);
      expect([name, await widerBy(page)]).toEqual([name, 0]);
      expect([name, await cutOff(page)]).toEqual([name, []]);
    }
    // The address of a conversation that does not exist.
    expect(heard.filter((line) => !line.includes('status of 404'))).toEqual([]);
    await page.close();
  },
  600_000,
);

async function brokenRules(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary).join(' | ')))`,
  );
}

/** Links and figures of the usage that are beyond the edge of the screen, days on two lines, and narrow names of cases. */
function cutOff(page: Page): Promise<unknown> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.grouping a, .usage :is(th, td), .evals tbody th')]
      .filter((each) => {
        const { right, height, width } = each.getBoundingClientRect();
        const isDay = /^\d{4}-\d\d-\d\d$/.test(each.textContent);
        const isCase = each.matches('.evals th');
        const isBroken = (isDay && height > 45) || (isCase && width < 110);
        return right > document.documentElement.clientWidth || isBroken;
      })
      .map((each) => each.textContent),
  );
}

function widerBy(page: Page): Promise<unknown> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}
