import type { Browser, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { pageState } from './page-state.ts';

type Options = {
  /** A page is slow if it shows the same text for so long. */
  readonly afterMs: number;
  readonly print?: (report: string) => void;
};

/** How long the page may take for an answer, of which it waits a part for an animation frame and for its modules. */
const answerMsMax = 10_000;
const waitMs = 2_000;
const linesMax = 40;

/** Prints, once for each page that shows the same for long, what may keep it from showing more. Tests go on. */
export function reportSlowPages(browser: Browser, options: Options): void {
  browser.on('context', (context) => {
    context.on('page', (page) => watch(page, options));
  });
}

function watch(page: Page, { afterMs, print = printError }: Options): void {
  const traffic = new Traffic(page);
  let before: string | undefined;
  const look = async () => {
    const text = await within(page.locator('body').innerText({ timeout: answerMsMax }));
    const now = `${page.url()} ${String(text).replaceAll(/\d/g, '')}`;
    if (page.isClosed()) return;
    if (now !== before) {
      before = now;
      return;
    }
    clearInterval(timer);
    const state = await within(page.evaluate(pageState, { waitMs }));
    print(`${placeOf(page)}\n${toLines({ ...traffic.facts(), ...toFacts(state) }).join('\n')}\n`);
  };
  const timer = setInterval(() => void look(), afterMs / 2);
  timer.unref();
  page.on('close', () => clearInterval(timer));
}

/** Requests without an end, those that failed, and what the console says. */
class Traffic {
  readonly #open = new Map<Request, number>();
  readonly #failed: string[] = [];
  readonly #console: string[] = [];

  constructor(page: Page) {
    page.on('request', (request) => this.#open.set(request, performance.now()));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => {
      this.#open.delete(request);
      this.#failed.push(`${request.url()} ${request.failure()?.errorText}`);
    });
    page.on('console', (message) => this.#console.push(message.text()));
    page.on('pageerror', (error) => this.#console.push(String(error)));
    page.on('crash', () => this.#console.push('the page crashed'));
  }

  facts() {
    const open = [...this.#open].map(([request, began]) => {
      const ms = Math.round(performance.now() - began);
      return `${request.resourceType()} ${request.url()} for ${ms} ms`;
    });
    return { 'open requests': open, 'failed requests': this.#failed, console: this.#console };
  }
}

/** A page that hangs does not answer. */
function within<T>(answer: Promise<T>): Promise<T | string> {
  return Promise.race([
    answer.catch((error: unknown) => String(error)),
    new Promise<string>((resolve) => {
      setTimeout(() => resolve(`no answer after ${answerMsMax} ms`), answerMsMax).unref();
    }),
  ]);
}

function placeOf(page: Page): string {
  const { testPath, currentTestName } = expect.getState();
  return `\na page shows the same for long: ${page.url()}\n  in ${testPath ?? ''}, ${currentTestName ?? ''}`;
}

function toFacts(state: Awaited<ReturnType<typeof pageState>> | string) {
  return typeof state === 'string' ? { page: state } : state;
}

function toLines(facts: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    if (typeof value === 'string') return `  ${name}: ${value.replaceAll('\n', ' | ')}`;
    if (value.length === 0) return `  ${name}: none`;
    return [`  ${name}:`, ...value.slice(-linesMax).map((line) => `    ${line}`)];
  });
}

function printError(report: string): void {
  process.stderr.write(report);
}
