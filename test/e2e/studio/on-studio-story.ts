import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from '../browser.ts';
import { openStudioStory, type StudioStory } from './studio-story.ts';

type Opened = { readonly browser: Browser; readonly story: StudioStory };

/** For all tests of a file: a browser, and a server with the story. */
export function onStudioStory(use: (opened: Opened) => void | Promise<void>): void {
  let opened: Opened;
  beforeAll(async () => {
    const [browser, story] = await Promise.all([openBrowser(), openStudioStory()]);
    opened = { browser, story };
    await use(opened);
  });
  afterAll(async () => {
    await opened.browser.close();
    await opened.story[Symbol.asyncDispose]();
  });
}
