import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page, one line for each element. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  // Colours that are still changing have no contrast of their own.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => each instanceof CSSTransition)
        .map(({ finished }) => finished),
    ),
  );
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => id + ' ' + target + ' ' + (any[0]?.message ?? ''))))`);
}
