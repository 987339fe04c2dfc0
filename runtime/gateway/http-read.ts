import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../base/refusal.ts';
import type { Block } from '../timeline/block.ts';
import { formatPath, parsePath } from '../timeline/paths.ts';
import { isTold } from './envelopes.ts';
import { type Env, type HttpParts, jsonOf } from './http-context.ts';
import { addErasing } from './http-erase.ts';
import { addFeedback } from './http-feedback.ts';
import { addForks, originOf } from './http-forks.ts';
import { queryOf } from './http-query.ts';
import { conversationsMax, fetchBlocksMax } from './limits.ts';
import { findOwn } from './own.ts';
import { parseInput } from './parse.ts';

const listLimits = `1 to ${conversationsMax}`;
export const listQuery = z.object({
  limit: z
    .int(listLimits)
    .min(1, listLimits)
    .max(conversationsMax, listLimits)
    .default(conversationsMax),
});
export const fileQuery = z.object({
  path: z.string('a fi: path names a file'),
  conversation: z.string().optional(),
});
export const fetchRequest = z.object({
  after: z.int().min(0).default(0),
  limit: z.int().min(1).max(fetchBlocksMax).default(fetchBlocksMax),
});
export const byName = z.object({
  rn: z.string().max(2_000),
  conversation_id: z.string().max(200).optional(),
});

/** What a conversation holds, for its owner: the list, its blocks, its files; what is said of it, what goes on from it, and its end. */
export function addReading(app: Hono<Env>, parts: HttpParts): void {
  addErasing(app, parts);
  addForks(app, parts);
  addFeedback(app, parts);
  app.get('/conversations/:tenant/:project', (context) => getConversations(context, parts));
  app.post('/conversations/:tenant/:project/:conversation/fetch', (context) =>
    postFetch(context, parts),
  );
  app.get('/api/files', (context) => {
    const { path, conversation } = queryOf(context, fileQuery);
    return sendFile(context, parts, { path, conversation });
  });
  app.post('/by-rn', async (context) => {
    const { rn: path, conversation_id: conversation } = parseInput(byName, await jsonOf(context));
    return sendFile(context, parts, { path, conversation });
  });
}

async function getConversations(
  context: Context<Env>,
  { deps, closing }: HttpParts,
): Promise<Response> {
  const { limit } = queryOf(context, listQuery);
  const rows = await deps.store.list(context.get('sender'), { limit, signal: closing });
  const items = rows.map((row) => ({
    id: row.id,
    title: row.title ?? '',
    created_at: row.createdAt,
    last_activity_at: row.lastAt,
    head: row.head,
    ...originOf(row),
    ...(row.openTurn !== undefined && { active_turn_id: row.openTurn }),
  }));
  return context.json({ ok: true, items });
}

async function postFetch(context: Context<Env>, { deps, closing }: HttpParts): Promise<Response> {
  const { after, limit } = parseInput(fetchRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const row = await findOwn(deps.store, context.get('sender'), { conversation, signal: closing });
  const page = await deps.store.read(row.key, { after, limit, signal: closing });
  const blocks = page.filter(isTold).map(toOutside);
  return context.json({ ok: true, head: row.head, next: page.at(-1)?.seq ?? after, blocks });
}

/** Without the names under which bytes are kept. */
function toOutside({ blob, conversation: _, ...block }: Block): object {
  return blob === undefined ? block : { ...block, size: blob.size };
}

async function sendFile(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  asked: { path: string; conversation: string | undefined },
): Promise<Response> {
  const path = parsePath(asked.path);
  if (path?.family !== 'fi') throw new Refusal('invalid_input', 'path: a fi: path names a file');
  const conversation = path.conversation ?? asked.conversation;
  if (conversation === undefined) {
    throw new Refusal(
      'invalid_input',
      'conversation: say whose turn it is, or write fi:conv_….turn_…',
    );
  }
  const sender = context.get('sender');
  const row = await findOwn(deps.store, sender, { conversation, signal });
  const { conversation: _, ...local } = path;
  const block = await deps.store.atPath(row.key, formatPath(local), { signal });
  if (!block || !isTold(block)) throw new Refusal('not_found', `there is no ${formatPath(path)}`);
  const name = local.rest.split('/').at(-1) ?? 'file';
  const headers = safeHeaders(name, block.mime);
  if (!block.blob) return new Response(block.text ?? '', { headers });
  const { size, stream } = await deps.blobs.open(sender.tenant, block.blob.hash, { signal });
  const body = Readable.toWeb(Readable.from(stream)) as ReadableStream<Uint8Array>;
  return new Response(body, { headers: { ...headers, 'Content-Length': String(size) } });
}

/** Files come from programs and strangers: they are saved, not shown, and whatever shows them anyway runs nothing. */
function safeHeaders(name: string, mime = 'application/octet-stream'): Record<string, string> {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return {
    'Content-Type': mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    'Cache-Control': 'private, max-age=0',
  };
}
