import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { complaints, showMsMax } from '../browser.ts';
import { onStudioStory } from './on-studio-story.ts';
import { type StudioStory, wrongSentence } from './studio-story.ts';

let page: Page;
let story: StudioStory;
let heard: readonly string[];
onStudioStory(async (opened) => {
  story = opened.story;
  page = await opened.browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  heard = complaints(page);
});

const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Inspector' }).getByRole('link', { name });

// proves: workbench.five-clicks
test('from a wrong sentence it takes three clicks to the block that it comes from, and to why the model saw it so', async () => {
  await page.goto(story.studio);
  await page.locator('.answer').getByRole('link', { name: wrongSentence }).click();
  const sources = page.getByRole('region', { name: 'Likely sources' });
  await sources.getByRole('link', { name: /^block 8, turn 1, round 1, hidden/ }).click();
  const block = page.getByRole('region', { name: 'Block 8' });
  await block.getByText('hidden in turn 1, round 2, by block 14').waitFor();
  await block.getByText('Trains crossed it from June 1878').first().waitFor();
  await block.getByRole('link', { name: 'Show block 14, which did it' }).click();
  await page.getByRole('region', { name: 'Block 14' }).getByText('react.hide').first().waitFor();
  expect(page.url()).toContain('block=14');
  expect(heard).toEqual([]);
});

// proves: workbench.keyboard
test('with the keyboard alone one moves through rounds, tabs and blocks, and flips to the chat', async () => {
  await page.goto('about:blank');
  await page.goto(story.studio);
  await page.locator('.round[aria-current]').waitFor();
  const current = () => page.locator('.round[aria-current] .unseen').textContent();
  expect(await current()).toBe('Turn 2, round 1');
  await page.keyboard.press('k');
  await expect.poll(current).toBe('Turn 1, round 3');
  await tab('Reply').focus();
  await page.keyboard.press('Enter');
  await page.getByText('assistant.completion 20').waitFor();
  await page.getByRole('slider', { name: 'Block' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => new URL(page.url()).hash).toContain('at=23');
  await page.keyboard.press('Control+.');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/');
  expect(new URL(page.url()).hash).toBe(`#${story.conversation}?at=23`);
  // What reads the keys is loaded with the end of a turn, beside the page.
  await page.locator('.turn .end').first().waitFor();
  await page.keyboard.press('Control+.');
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/studio/);
  expect(new URL(page.url()).hash).toContain(story.conversation);
});

// proves: workbench.edit-and-rerun
test('a prompt is edited and run again in a fork, and verify and replay report what they find', async () => {
  await page.goto('about:blank');
  await page.goto(story.studio);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('29 blocks, no problems').waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('4 prompts are identical, 4 replies give the same blocks').waitFor();
  await page.getByRole('button', { name: 'Edit and rerun' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).fill('How many trains were lost?');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('heading', { name: 'Two runs side by side' }).waitFor();
  await page.getByRole('region', { name: 'Prompt' }).getByText('trains were lost').waitFor();
  await page
    .getByRole('region', { name: 'Second run' })
    .getByRole('link', { name: /Open/ })
    .click();
  await page.getByRole('link', { name: 'fork of block 22', exact: true }).click();
  await page.getByText('When did the Tay bridge open?').first().waitFor();
});

// proves: workbench.other-model
test('a turn is run again with another model, and both runs stand side by side with their cost', async () => {
  await page.goto('about:blank');
  await page.goto(`${story.studio}?at=20`);
  await page.getByRole('button', { name: 'Edit and rerun' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run turn 1 again' });
  await dialog.getByRole('combobox', { name: 'Model' }).fill('scripted:careful');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('June 1878').waitFor();
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
  expect(await row('model').innerText()).toContain('scripted:careful');
  expect(await row('rounds').innerText()).toMatch(/3\s+2\s+−1 \(−33 %\)/);
  expect(await row('cost').count()).toBe(1);
  await page.getByRole('link', { name: 'prompt diff of round 2' }).click();
  await page.locator('.diff pre').first().waitFor();
});

// proves: workbench.edit-result
test('the result of a call is edited, and the turn goes on from there in a fork', async () => {
  await page.goto('about:blank');
  await page.goto(`${story.studio}?at=20&tab=blocks&block=8`);
  await page.getByRole('button', { name: 'Edit and go on from here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the result in block 8' });
  await dialog.getByRole('textbox').fill('{"found":"The Tay bridge opened in May 1999."}');
  await dialog.getByRole('button', { name: 'Go on from here' }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('opened to trains in May 1999').waitFor();
  await page.getByRole('region', { name: 'First run' }).getByRole('link', { name: /Open/ }).click();
  await page.locator('.answer').getByRole('link', { name: wrongSentence }).waitFor();
});

// proves: workbench.family
test('the tree of forks shows what continues from what, and leads to a comparison', async () => {
  await page.goto('about:blank');
  await page.goto(`${story.studio}?tab=forks`);
  const forks = page.locator('.forks');
  await forks.getByRole('link', { name: /^original/ }).waitFor();
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await expect.poll(() => page.url()).not.toContain(story.conversation);
  await tab('Forks').click();
  const current = forks.locator('a[aria-current]');
  await current.filter({ hasText: 'fork at block 29' }).waitFor();
  await forks.getByRole('link', { name: `compare with ${story.conversation.slice(-6)}` }).click();
  await page.getByRole('table').getByText('same').first().waitFor();
});

// proves: workbench.eval-case
test('a turn becomes an eval case, and the evals say what changed since the run before', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('about:blank');
  await page.goto(`${story.studio}?at=20`);
  await page.getByRole('button', { name: 'Copy as eval case' }).click();
  await page.getByText('The case is in the clipboard.').waitFor();
  const text = await page.evaluate('navigator.clipboard.readText()');
  expect(text).toContain('input: When did the Tay bridge open?');
  expect(text).toContain('archive.look');
  await page.getByRole('button', { name: 'Copy as test' }).click();
  await page.getByText('The test is in the clipboard.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('openRuntime');
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Evals' }).click();
  const row = page.locator('.evals tbody tr').first();
  await row.waitFor();
  expect(await row.innerText()).toMatch(/opening of the bridge[\s\S]*lacks “1878”[\s\S]*broken/);
});

// proves: workbench.feedback
test('the turns that were rated are listed with their comments, and lead to the turn', async () => {
  await page.goto('about:blank');
  await page.goto(`${story.runtime.url}/studio/#feedback`);
  const rated = page.locator('.ratings li');
  await rated.getByText('bad: Wrong month.').waitFor();
  const grouping = page.getByRole('navigation', { name: 'Rated as' });
  await grouping.getByRole('link', { name: 'good' }).click();
  await page.getByText('No turn was rated so in this time.').waitFor();
  await grouping.getByRole('link', { name: 'bad' }).click();
  await rated.getByRole('link', { name: 'When was it rebuilt?' }).click();
  await page.locator('.turn-head').getByText('rated as bad: Wrong month.').waitFor();
  const current = page.locator('.round[aria-current] .unseen');
  expect(await current.textContent()).toBe('Turn 1, round 1');
});

// proves: workbench.try
test('a tool is tried with a form, in a conversation of its own', async () => {
  await page.goto('about:blank');
  await page.goto(`${story.runtime.url}/studio/#agents`);
  await page.getByText('archive.look').click();
  await page.getByRole('textbox', { name: 'what' }).fill('Forth');
  await page.getByRole('button', { name: 'Call it' }).click();
  await page.locator('.block-row', { hasText: 'react.tool.result' }).click();
  await page.getByText('The Forth bridge was begun in 1871').first().waitFor();
});
