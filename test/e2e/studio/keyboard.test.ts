import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { showMsMax } from '../browser.ts';
import { onStudioStory } from './on-studio-story.ts';
import { type StudioStory, wrongSentence } from './studio-story.ts';

let page: Page;
let story: StudioStory;
onStudioStory(async (opened) => {
  story = opened.story;
  page = await opened.browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
});

const pressesMax = 200;

/** Presses Tab until it stands on an element, whose focus can be seen. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await target.and(page.locator(':focus')).count()) > 0) {
      const ring = await page.evaluate(
        'getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).boxShadow',
      );
      expect(ring).not.toBe('nonenone');
      return;
    }
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

async function choose(target: Locator): Promise<void> {
  await reach(target);
  await page.keyboard.press('Enter');
}

// proves: workbench.keyboard
test('with the keyboard alone one finds a conversation, the block behind a sentence, and tries what would have been', async () => {
  await page.goto(`${story.runtime.url}/studio/`);
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await reach(list.getByRole('searchbox'));
  await page.keyboard.type('reports differ');
  await list.locator('mark').first().waitFor();
  await choose(list.getByRole('link').first());
  await page.getByRole('region', { name: 'Block 27' }).waitFor();
  await choose(page.locator('.answer').getByRole('link', { name: wrongSentence }));
  const sources = page.getByRole('region', { name: 'Likely sources' });
  await choose(sources.getByRole('link', { name: /^block 8, turn 1, round 1, hidden/ }));
  await page.getByRole('region', { name: 'Block 8' }).waitFor();
  for (const tab of ['Reply', 'Diff', 'Cache', 'Blocks', 'Trace', 'Forks', 'Prompt']) {
    await choose(
      page.getByRole('navigation', { name: 'Inspector' }).getByRole('link', { name: tab }),
    );
    await page.locator('.tabs a[aria-current]').getByText(tab, { exact: true }).waitFor();
  }
  const rerun = page.getByRole('button', { name: 'Edit and rerun' });
  await choose(rerun);
  await page.getByRole('dialog', { name: 'Run turn 1 again' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => rerun.and(page.locator(':focus')).count()).toBe(1);
  for (const [view, heading] of views) {
    await choose(page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }));
    await page.getByRole('heading', { name: heading }).first().waitFor();
  }
  await choose(page.locator('summary', { hasText: 'archive.look' }));
  await reach(page.getByRole('textbox', { name: 'what' }));
}, 600_000);

const views = [
  ['Usage', 'Usage of the last 30 days'],
  ['Live', 'At work now'],
  ['Feedback', 'Feedback of the last 30 days'],
  ['Evals', 'Evals'],
  ['Agents', 'Agents and tools'],
] as const;
