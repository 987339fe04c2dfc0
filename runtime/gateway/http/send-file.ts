import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import { isMime } from '../../client/protocol/request-schemas.ts';
import { formatPath, parsePath } from '../../timeline/paths.ts';
import { parseResourceName, type ResourceOwner } from '../../timeline/resource-names.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { findFile } from '../files/find-file.ts';
import type { Env, HttpParts } from './context.ts';

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
  const named = parseResourceName(query.path);
  if (named && !isOwner(named, sender))
    throw new Refusal('not_found', `file ${query.path} not found`);
  const row = await findConversation(deps.store, sender, { conversation, signal });
  const file = await findFile(deps.store, row, { path: query.path, signal });
  if (!file) throw new Refusal('not_found', `file ${formatPath(path)} not found`);
  const { name, block } = file;
  if (!block.blob)
    return new Response(block.text ?? '', { headers: safeHeaders(name, block.mime) });
  const { hash } = block.blob;
  const blob = { name, hash, tenant: sender.tenant };
  return sendBlob(
    { deps, closing: signal },
    block.mime === undefined ? blob : { ...blob, mime: block.mime },
  );
}

function isOwner(name: ResourceOwner, { tenant, project, user }: ResourceOwner): boolean {
  return name.tenant === tenant && name.project === project && name.user === user;
}

type NamedBlob = {
  readonly name: string;
  readonly mime?: string;
  readonly hash: string;
  readonly tenant: string;
};

export async function sendBlob(
  { deps, closing: signal }: Pick<HttpParts, 'deps' | 'closing'>,
  { name, mime, hash, tenant }: NamedBlob,
): Promise<Response> {
  const { size, stream } = await deps.blobs.open(tenant, hash, { signal });
  const body = Readable.toWeb(Readable.from(stream)) as ReadableStream<Uint8Array>;
  const headers = { ...safeHeaders(name, mime), 'Content-Length': String(size) };
  return new Response(body, { headers });
}

const unknownMime = 'application/octet-stream';

/**
 * Files come from programs and users: they are sent as downloads, and if a browser displays them anyway, they run
 * nothing.
 */
function safeHeaders(name: string, stored = unknownMime): Record<string, string> {
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
