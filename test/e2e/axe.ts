import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { settleColours } from './browser.ts';

/** What axe finds on the page, one line for each element. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  await settleColours(page);
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => id + ' ' + target + ' ' + (any[0]?.message ?? ''))))`);
}
