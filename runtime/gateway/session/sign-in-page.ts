import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Status } from '../http/status.ts';
import { themeOf } from '../http/theme.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The colours of the other pages, whose style sheet this one does not load. */
const style = `
body { max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; background: light-dark(#faf8f4, #181715); color: light-dark(#24221e, #ebe7dd); font: 1rem/1.55 "Inter", "Segoe UI", system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font: 600 1.5rem/1.3 "Iowan Old Style", "Charter", Georgia, "DejaVu Serif", serif }
p::first-letter { text-transform: uppercase }
a { color: light-dark(#1f5c57, #7fbcb0) }
nav { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin-top: 1.5rem }
nav a:first-child { padding: 0.5rem 1rem; border-radius: 8px; background: light-dark(#1f5c57, #7fbcb0); color: light-dark(#ffffff, #10201d); text-decoration: none }
`;

type Failure = {
  readonly message: string;
  readonly status: Status;
  /** Where to start again. */
  readonly again: string;
};

/** Says why the sign-in failed. Works without scripts. */
export async function failurePage(
  context: Context,
  { message, status, again }: Failure,
): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${themeOf(context)}">
<title>Sign-in failed · Timeloom</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
<p role="alert">${message}</p>
<nav aria-label="What to do"><a href="${again}">Sign in again</a> <a href="/">Use a token instead</a></nav>
</main>
</body>
</html>
`;
  return context.body(String(page), status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
}
