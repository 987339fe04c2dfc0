import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from '../axe.ts';
import { shot } from '../browser.ts';
import { finish, onStagedPage, openConversation, type Staged } from '../open-page.ts';

let staged: Staged;
let page: Page;
onStagedPage((use) => {
  staged = use;
  page = use.page;
});

const answer = `## ملخص الطقس

كان شهر **ديسمبر 2015** الأكثر مطرًا في سياتل، بمجموع 284.5 مم، أي ضعف المتوسط تقريبًا.

### الأشهر

- الأكثر مطرًا: ديسمبر، ثم نوفمبر.
- الأقل مطرًا: يوليو.
  1. مجموع يوليو 0.1 مم.
  2. وكان دافئًا.
- Seattle in English

> المصدر: محطة المطار.

| الشهر | المطر (مم) |
|---|---:|
| ديسمبر | 284.5 |
| نوفمبر | 212.6 |

\`\`\`python
total = rain.groupby("month").sum()
\`\`\`

- [x] فحص البيانات
- [ ] كتابة التقرير

استخدم الأمر \`npm start\` ثم افتح https://example.org/weather?city=seattle.

- An English list
- [ ] with a task
`;

type Box = { readonly left: number; readonly right: number };

/** The edges of the text of an element, without its margins and marks. */
async function textOf(place: Locator): Promise<Box> {
  return await place.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right } = range.getBoundingClientRect();
    return { left, right };
  });
}

async function boxOf(place: Locator): Promise<Box> {
  return await place.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    return { left, right };
  });
}

// proves: page.right-to-left
test.each([
  ['desktop', { width: 1280, height: 1400 }],
  ['phone', { width: 390, height: 1700 }],
])(
  'an Arabic answer runs from right to left: lists, quotes, tables and tasks too (%s)',
  async (name, size) => {
    await page.setViewportSize(size);
    await finish(page, await openConversation(staged, 'أي شهر كان الأكثر مطرًا في سياتل؟'), answer);
    await shot(page, `rtl-${name}`);
    const prose = page.locator('.answer');
    const column = await boxOf(prose);
    const item = (text: string) => prose.locator('li', { hasText: text }).last();
    const direction = (place: Locator) =>
      place.evaluate((each) => getComputedStyle(each).direction);
    // Marks stand inside the column, and a list in a list is indented.
    const [outer, inner] = await Promise.all([
      boxOf(item('الأقل مطرًا')),
      boxOf(item('مجموع يوليو')),
    ]);
    expect(outer.right).toBeLessThan(column.right - 15);
    expect(inner.right).toBeLessThan(outer.right - 15);
    // A line in English stands beside its mark.
    expect((await textOf(item('Seattle in English'))).right).toBeGreaterThan(outer.right - 5);
    expect(await direction(prose.locator('blockquote'))).toBe('rtl');
    const [month, rain] = await Promise.all(
      ['الشهر', 'المطر (مم)'].map((text) => boxOf(prose.locator('th', { hasText: text }))),
    );
    expect(month?.left).toBeGreaterThanOrEqual(rain?.right ?? 0);
    expect(month?.right).toBeGreaterThan(column.right - 2);
    // The box of a task stands beside its text, not on it.
    for (const task of await prose.locator('li.task').all()) {
      const isRight = (await direction(task)) === 'rtl';
      const [box, text] = await Promise.all([boxOf(task.locator('input')), boxOf(task)]);
      if (isRight) expect(box.left).toBeGreaterThanOrEqual(text.right);
      else expect(box.right).toBeLessThanOrEqual(text.left);
    }
    expect(await direction(prose.locator('li', { hasText: 'An English list' }))).toBe('ltr');
    expect(await violations(page)).toEqual([]);
  },
);
