import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { toBlockPath } from '../../runtime/timeline/paths.ts';
import { shot, showMsMax } from './browser.ts';
import { onStagedPage, openConversation, type Staged } from './open-page.ts';

let staged: Staged;
let page: Page;
onStagedPage((opened) => {
  staged = opened;
  page = opened.page;
});

const paragraph =
  'Rain fell on *most* days of `November`, and [the normals](https://example.org/a_(b)) say so too.';

// proves: page.streams-calmly
test('while an answer streams a selection stays, the page changes little, and a status line describes the activity', async () => {
  const player = await openConversation(staged, 'Tell');
  await player.delta('answer', `First paragraph to select.\n\n`);
  await page.getByText('First paragraph').waitFor();
  await page.evaluate(() => {
    const changed = { characters: 0, announced: '' };
    const record = (records: readonly MutationRecord[]) => {
      for (const { addedNodes, type, target, oldValue } of records) {
        const added = [...addedNodes].reduce(
          (sum, node) => sum + (node.textContent?.length ?? 0),
          0,
        );
        const grown = (target.textContent?.length ?? 0) - (oldValue?.length ?? 0);
        changed.characters += type === 'characterData' ? Math.max(0, grown) : added;
      }
    };
    const all = {
      childList: true,
      subtree: true,
      characterData: true,
      characterDataOldValue: true,
    };
    const answer = document.querySelector('.answer');
    if (answer) new MutationObserver(record).observe(answer, all);
    for (const live of document.querySelectorAll('[aria-live], [role=status], [role=alert]')) {
      new MutationObserver(() => {
        changed.announced += `${live.textContent}\n`;
      }).observe(live, all);
    }
    Object.assign(window, { changed });
    getSelection()?.selectAllChildren(document.querySelector('.answer p') ?? document.body);
  });
  let text = 'First paragraph to select.\n\n';
  for (let n = 0; n < 60; n += 1) {
    const words = `${paragraph} ${n % 5 === 4 ? '\n\n' : ''}`.match(/\S*\s*/g) ?? [];
    for (const word of words.filter((each) => each !== '')) {
      await player.delta('answer', word);
      text += word;
    }
    if (n % 20 === 0) await page.locator('.answer', { hasText: text.trim().slice(-8) }).waitFor();
  }
  await player.delta('answer', '', { completed: true });
  await page.locator('.answer:not(.growing)').waitFor();
  const selected = await page.evaluate('getSelection().toString()');
  expect(selected).toContain('First paragraph to select.');
  const changed = (await page.evaluate('window.changed')) as {
    characters: number;
    announced: string;
  };
  expect(changed.characters).toBeLessThan(text.length * 3);
  // A line now and then, the more the longer it takes; never the answer.
  expect(changed.announced.length).toBeLessThan(text.length / 10);
  await player.close(text);
  await expect
    .poll(() => page.locator('#summary').textContent(), { timeout: showMsMax })
    .toMatch(/^Answer complete: [\d,]+ words\.$/);
});

const everything = `
# Heading

- A list item

  with a paragraph and code:

  \`\`\`js
  let x = 1;
  \`\`\`
- [x] done
- [ ] to do

See https://example.org/p_(q) and ![a picture](https://example.org/p.png).

<img src="/nowhere" onerror="document.title = 'a script ran'"><b>not bold</b>

| Left | Right |
| --- | ---: |
| a | ~~b~~ |

שלום עולם, this line begins on the right.
`;

// proves: page.markdown-standard, page.markdown-deep, page.part-fails
test('an answer renders Markdown without active HTML, and falls back to text', async () => {
  const player = await openConversation(staged, 'Tell');
  const answer = `${everything}\n${'>'.repeat(4_000)} deep\n\nThe end.`;
  await player.append({
    type: 'artifact.file',
    author: 'tool',
    path: toBlockPath(`fi:${player.turn}.outputs/x.csv`),
    text: 'a',
    // Without the type that a card needs.
    data: { filename: 'x.csv', size: 1, visibility: 'external' },
  });
  await player.answer(answer);
  await player.close(answer);
  await page.locator('.answer').getByText('The end.').waitFor();
  const counts = await page.evaluate(() => {
    const count = (selector: string) => document.querySelectorAll(`.answer ${selector}`).length;
    return {
      heading: count('h2'),
      code: count('li pre code[data-language=js]'),
      done: count('li.task input:checked'),
      open: count('li.task input:not(:checked)'),
      table: count('td s'),
      html: count(':is(b, img)'),
      parenthesis: count('a[href="https://example.org/p_(q)"]'),
    };
  });
  expect(counts).toEqual({
    heading: 1,
    code: 1,
    done: 1,
    open: 1,
    table: 1,
    html: 0,
    parenthesis: 1,
  });
  await page.locator('.answer pre', { hasText: '>>>> deep' }).waitFor();
  await shot(page, 'prose');
  const direction = page.locator('.answer p', { hasText: 'שלום' });
  expect(await direction.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await page.locator('.end').getByText('tokens').waitFor();
  expect(await page.locator('.undrawn').textContent()).toContain('x.csv');
  expect(staged.heard).toEqual([expect.stringContaining('TypeError')]);
  expect(await page.title()).not.toContain('a script ran');
});
