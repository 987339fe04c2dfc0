import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Status } from '../http/status.ts';
import { themeOf } from '../http/theme.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

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
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem }</style>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
<p role="alert">${message}</p>
<p><a href="${again}">Sign in again</a> · <a href="/">Use a token instead</a></p>
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
