import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { formBytesMax, packetBytesMax } from '../input/limits.ts';
import { type Env, failure } from './context.ts';

/**
 * Limits the request body to the size of a message with its files. A piece of an upload has its own limit, the size of
 * its file, and is stored as it arrives.
 */
export function limitBody(): MiddlewareHandler<Env> {
  const [text, files] = [limitOf(packetBytesMax), limitOf(formBytesMax)];
  return (context, next) => {
    const { raw, method, path } = context.req;
    if (method === 'PATCH' && path.startsWith('/api/uploads/')) return next();
    if (raw.body && !hasLength(raw.headers)) context.req.raw = standard(raw);
    const limit = carriesFiles(context) ? files : text;
    return limit(context, next);
  };
}

function limitOf(maxSize: number): MiddlewareHandler<Env> {
  return bodyLimit({
    maxSize,
    onError: (context) => {
      const message = `the request body is larger than ${maxSize} bytes`;
      return failure(context, { code: 'attachment_refused', message }, 413);
    },
  });
}

/** The bytes of these types are not parsed as text. */
function carriesFiles({ req }: Context): boolean {
  const type = req.header('content-type') ?? '';
  return type.startsWith('multipart/form-data') || type === 'application/offset+octet-stream';
}

function hasLength(headers: Headers): boolean {
  return headers.has('content-length') && !headers.has('transfer-encoding');
}

/** The request class of the server cannot be cloned, which counting a body of unknown length requires. */
function standard({ url, method, headers, body, signal }: Request): Request {
  const init = { method, headers, body, signal, duplex: 'half' };
  return new Request(url, init);
}
