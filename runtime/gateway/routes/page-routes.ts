import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { PageScripts } from './page-scripts.ts';
import { readStatic, type StaticFile } from './static-files.ts';

const folder = fileURLToPath(new URL('../page/', import.meta.url));

/**
 * The page may use its own scripts and connections only. Canvases are frames that inherit this policy and are also
 * sandboxed, so scripts in generated HTML never run.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** The page, and the client library for pages. */
export function addPageRoutes(app: Hono<Env>, { deps }: HttpParts): void {
  const scripts = new PageScripts();
  app.get('/', () => sendStatic(readHome(deps.scope), pagePolicy));
  app.get('/assets/:name{[a-z-]+\\.(css|svg)}', (context) =>
    sendStatic(readStatic(folder, context.req.param('name')), pagePolicy),
  );
  app.get('/assets/page.js', async () => sendScript(await scripts.page()));
  app.get('/assets/client.js', async () => sendScript(await scripts.client()));
}

/** The page with the tenant and project of this installation. */
async function readHome({ tenant, project }: ProjectScope): Promise<StaticFile | undefined> {
  const file = await readStatic(folder, 'index.html');
  if (!file) return undefined;
  const page = new TextDecoder()
    .decode(file.bytes)
    .replace(
      'data-tenant="dev" data-project="dev"',
      `data-tenant="${tenant}" data-project="${project}"`,
    );
  return { ...file, bytes: new TextEncoder().encode(page) };
}

/** Refusal `not_found`. */
export async function sendStatic(
  reading: Promise<StaticFile | undefined>,
  policy: string,
): Promise<Response> {
  const file = await reading;
  if (!file) throw new Refusal('not_found', 'page not found');
  return new Response(file.bytes, { headers: headersOf(file.mime, policy) });
}

function sendScript(text: string): Response {
  return new Response(text, { headers: headersOf('text/javascript; charset=utf-8', pagePolicy) });
}

function headersOf(mime: string, policy: string): Record<string, string> {
  return {
    'Content-Type': mime,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
}
