import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Env } from './context.ts';
import { preflightSecondsMax } from './limits.ts';

/** Pages of these origins may send requests with a token and read the answers; their requests carry no cookie. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<Env> {
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: [
      ...[
        'Allow',
        'Content-Disposition',
        'Content-Location',
        'Location',
        'Retry-After',
        'WWW-Authenticate',
      ],
      ...['Accept-Ranges', 'Content-Range', 'ETag'],
      ...['Mcp-Session-Id', 'X-Timeloom-Conversation'],
      ...['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires'],
    ],
    maxAge: preflightSecondsMax,
  });
}
