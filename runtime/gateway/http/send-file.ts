import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import { isMime } from '../../client/protocol/request-schemas.ts';
import type { BlobRef } from '../../timeline/block.ts';
import { formatPath, parsePath } from '../../timeline/paths.ts';
import { parseResourceName, type ResourceOwner } from '../../timeline/resource-names.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { findFile } from '../files/find-file.ts';
import type { Env, HttpParts } from './context.ts';
import { requestedBytes } from './requested-bytes.ts';

/** Sends the file of a path to the owner of its conversation, as a download under its own name. */
export async function sendFile(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  query: { path: string; conversation: string | undefined },
): Promise<Response> {
  const path = parsePath(query.path);
  if (path?.family !== 'fi') throw new Refusal('invalid_input', 'path: must be a fi: path');
  const conversation = path.conversation ?? query.conversation;
  if (conversation === undefined) {
    throw new Refusal(
      'invalid_input',
      'conversation: required unless the path names one, as in fi:conv_….t3.…',
    );
  }
  const sender = context.get('sender');
  const { tenant } = sender;
  const resource = parseResourceName(query.path);
  if (resource && !isOwner(resource, sender))
    throw new Refusal('not_found', `file ${query.path} not found`);
  const row = await findConversation(deps.store, sender, { conversation, signal });
  const file = await findFile(deps.store, row, { path: query.path, signal });
  if (!file) throw new Refusal('not_found', `file ${formatPath(path)} not found`);
  const { name, block } = file;
  const named = { name, mime: block.mime ?? unknownMime };
  if (!block.blob) return sendText(context, block.text ?? '', named);
  return sendBlob(context, { deps, closing: signal }, { ...named, tenant, blob: block.blob });
}

function isOwner(name: ResourceOwner, { tenant, project, user }: ResourceOwner): boolean {
  return name.tenant === tenant && name.project === project && name.user === user;
}

type FileName = { readonly name: string; readonly mime: string };
type NamedBlob = FileName & { readonly tenant: string; readonly blob: BlobRef };

/** Sends the stored bytes that the request asks for. Refusal `range_not_satisfiable`. */
export async function sendBlob(
  context: Context<Env>,
  { deps, closing: signal }: Pick<HttpParts, 'deps' | 'closing'>,
  { tenant, blob, ...named }: NamedBlob,
): Promise<Response> {
  const { hash, size } = blob;
  const etag = `"${hash.replace(/^sha256:/, '')}"`;
  return sendBytes(context, named, {
    ...{ size, etag },
    open: async (range) => (await deps.blobs.open(tenant, hash, { signal, ...range })).stream,
  });
}

function sendText(context: Context<Env>, text: string, named: FileName): Promise<Response> {
  const bytes = new TextEncoder().encode(text);
  const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  return sendBytes(context, named, {
    ...{ size: bytes.byteLength, etag },
    open: async ({ range }) => [range ? bytes.subarray(range.start, range.end) : bytes],
  });
}

/** Absent: all bytes. */
type Part = { readonly range?: { readonly start: number; readonly end: number } };
type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type Source = {
  readonly size: number;
  readonly etag: string;
  readonly open: (part: Part) => Promise<Bytes>;
};

async function sendBytes(
  context: Context<Env>,
  { name, mime }: FileName,
  { size, etag, open }: Source,
): Promise<Response> {
  const { req } = context;
  const asked = requestedBytes(req.method, (header) => req.header(header), { size, etag });
  const headers = { ...safeHeaders(name, mime), ETag: etag, 'Accept-Ranges': 'bytes' };
  if (asked.kind === 'not_modified') return new Response(null, { status: 304, headers });
  if (asked.kind === 'unsatisfiable') {
    context.header('Content-Range', `bytes */${size}`);
    const message = `Range: the file has ${size} bytes; ask for bytes before its end`;
    throw new Refusal('range_not_satisfiable', message);
  }
  // A HEAD request opens no stream that would stay unread, but still finds out whether the file is there.
  if (req.method === 'HEAD') {
    await open({ range: { start: 0, end: 0 } });
    return new Response(null, { headers: { ...headers, 'Content-Length': String(size) } });
  }
  if (asked.kind === 'whole') {
    const whole = { ...headers, 'Content-Length': String(size) };
    return new Response(bodyOf(await open({})), { headers: whole });
  }
  const { start, end } = asked;
  const place = {
    'Content-Range': `bytes ${start}-${end - 1}/${size}`,
    'Content-Length': String(end - start),
  };
  const body = bodyOf(await open({ range: { start, end } }));
  return new Response(body, { status: 206, headers: { ...headers, ...place } });
}

function bodyOf(bytes: Bytes): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(bytes)) as ReadableStream<Uint8Array>;
}

const unknownMime = 'application/octet-stream';

/**
 * Files come from programs and users: they are sent as downloads, and if a browser displays them anyway, they run
 * nothing.
 */
function safeHeaders(name: string, stored: string): Record<string, string> {
  const mime = isMime(stored) ? stored : unknownMime;
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
