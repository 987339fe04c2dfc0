import { build } from 'esbuild';
import type { Page } from 'playwright-core';

/** Opens a page of the server that renders a component of the guides. `render` is a module in this folder. */
export async function openComponent(page: Page, url: string, render: string): Promise<void> {
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  await page.goto(url);
  await page.addScriptTag({ type: 'module', content: await scriptOf(render) });
}

async function scriptOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
