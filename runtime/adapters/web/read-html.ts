import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import Turndown from 'turndown';
import { pageTextCharsMax, titleCharsMax } from './limits.ts';

export type ReadablePage = {
  readonly title: string;
  readonly text: string;
  readonly published?: string;
  readonly author?: string;
  readonly site?: string;
  readonly favicon?: string;
};

const noise = ['script', 'style', 'noscript', 'iframe', 'form', 'nav', 'footer'] as const;

/** The article of a page as Markdown; of a page without one, all its text. Scripts do not run. */
export function readHtml(html: string, address: string): ReadablePage {
  const url = new URL(address);
  const { document } = parseHTML(withBody(html));
  const named = document.querySelector('title')?.textContent ?? '';
  const icon = document.querySelector('link[rel~="icon"]')?.getAttribute('href');
  const base = document.createElement('base');
  base.setAttribute('href', url.href);
  document.head.append(base);
  const whole = document.body.innerHTML;
  const article = new Readability(document, { keepClasses: false }).parse();
  const title = clean(article?.title ?? named) || url.host;
  const text = toMarkdown(article?.content ?? whole).slice(0, pageTextCharsMax);
  const published = dateOf(article?.publishedTime);
  const author = clean(article?.byline ?? '');
  const site = clean(article?.siteName ?? '');
  return {
    ...{ title: title.slice(0, titleCharsMax), text, favicon: iconOf(icon, url) },
    ...(published && { published }),
    ...(author && { author }),
    ...(site && { site }),
  };
}

/** Every site has one at this address, unless the page names another. */
function iconOf(named: string | null | undefined, page: URL): string {
  const isNamed = named && URL.canParse(named, page.href);
  return new URL(isNamed ? named : '/favicon.ico', page.href).href;
}

/** The parser does not add the elements that a browser adds. */
function withBody(html: string): string {
  return /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html}</body></html>`;
}

function toMarkdown(html: string): string {
  const writer = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  writer.remove([...noise]);
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  return writer.turndown(document.body as unknown as HTMLElement).trim();
}

function clean(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The day of a date as the page writes it. */
function dateOf(text: string | null | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}
