import lighthouse from 'lighthouse';
import puppeteer from 'puppeteer-core';

/** Rates the accessibility of pages, light and dark, and prints a line for each: `[address, scheme, score, failed audits]`. */
const options = {
  onlyCategories: ['accessibility'],
  formFactor: 'desktop',
  maxWaitForLoad: 15_000,
};
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const address of process.argv.slice(2)) {
  for (const scheme of ['light', 'dark']) {
    const page = await browser.newPage();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const flags = { ...options, screenEmulation: { disabled: true } };
    const { lhr } = await lighthouse(address, flags, undefined, page);
    const audits = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 1);
    const failed = audits.map(({ id, details }) => ({
      id,
      elements: details?.items?.map(({ node }) => node?.snippet),
    }));
    const { score } = lhr.categories.accessibility;
    process.stdout.write(`${JSON.stringify([address, scheme, score, failed])}\n`);
    await page.close();
  }
}
await browser.close();
