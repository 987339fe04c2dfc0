import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Refusal } from '../../base/refusal.ts';
import { type Asset, PageAssets } from '../assets/page-assets.ts';
import type { StaticFile } from '../assets/static-files.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { namedProject } from '../http/named-project.ts';
import { themeOf } from '../http/theme.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';

/**
 * Pages may use its own scripts and connections only. Canvases are frames that inherit this policy and are also
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

const pages = { '/': 'chat.html', '/studio': 'studio.html', '/studio/': 'studio.html' };

/** The pages, their files, and the client library for widgets. */
export function addPageRoutes(app: Hono<Env>, { deps }: HttpParts): void {
  const assets = new PageAssets();
  for (const [path, name] of Object.entries(pages)) {
    app.get(path, async (context) => sendPage(context, await assets.read(name), deps));
  }
  app.get('/assets/:name{[\\w-]+\\.(?:js|css|svg)}', async (context) =>
    sendAsset(context, await assets.read(context.req.param('name'))),
  );
}

/**
 * A page with the tenant and project that the address names or else this installation's, the provider at which people sign
 * in, and the theme that its user has chosen.
 */
async function sendPage(
  context: Context,
  asset: Asset | undefined,
  { scope, auth }: GatewayDeps,
): Promise<Response> {
  if (!asset) throw new Refusal('not_found', 'page not found');
  const { tenant, project } = namedProject(context.req.raw) ?? scope;
  const place = await html`data-tenant="${tenant}" data-project="${project}"`;
  const provider = auth.mode === 'jwt' ? auth.signIn?.name : undefined;
  const mode = auth.mode === 'jwt' ? await html` data-sign-in="${provider ?? ''}"` : '';
  const page = new TextDecoder()
    .decode(asset.bytes)
    .replace('data-tenant="dev" data-project="dev"', () => `${place}${mode}`)
    .replace('content="light dark"', `content="${themeOf(context)}"`);
  return new Response(page, { headers: { ...headersOf(asset.mime, pagePolicy), Vary: 'Cookie' } });
}

/** The build puts a hash of the content into the names of these files, so a browser never has to check them again. */
const hashedName = /-[A-Z0-9]{8}\.\w+$/;

function sendAsset({ req }: Context, asset: Asset | undefined): Response {
  if (!asset) throw new Refusal('not_found', 'page not found');
  const headers = {
    ...headersOf(asset.mime, pagePolicy),
    ...(hashedName.test(req.path) && { 'Cache-Control': 'public, max-age=31536000, immutable' }),
    ETag: asset.etag,
    Vary: 'Accept-Encoding',
  };
  if (req.header('if-none-match') === asset.etag)
    return new Response(null, { status: 304, headers });
  const accepted = (req.header('accept-encoding') ?? '').split(',').map(encodingOf);
  const packed = [...asset.compressed].find(([encoding]) => accepted.includes(encoding));
  if (!packed) return new Response(asset.bytes, { headers });
  const [encoding, bytes] = packed;
  return new Response(bytes, { headers: { ...headers, 'Content-Encoding': encoding } });
}

/** `br` of ` br;q=0.9`; empty if it is refused with `q=0`. */
function encodingOf(part: string): string {
  const [encoding = '', weight = ''] = part.split(';').map((each) => each.trim().toLowerCase());
  return /^q=0(\.0*)?$/.test(weight) ? '' : encoding;
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

function headersOf(mime: string, policy: string): Record<string, string> {
  return {
    'Content-Type': mime,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
}
