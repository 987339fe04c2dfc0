import { clientHeader } from '../client/protocol/routes.ts';
import type { RuntimeBundle } from '../sdk/contract/runtime-bundle.ts';
import { testScope } from './test-scope.ts';

/** The default user of a test. */
export const testUser = 'test';

/** Calls an operation over HTTP, as an external client does. */
export async function callOperation(
  { id: bundle, operations }: RuntimeBundle,
  id: string,
  { url, request }: { url: string; request: Request },
): Promise<Response> {
  const isPublic = operations.find((one) => one.id === id)?.access === 'public';
  const names = [
    testScope.tenant,
    testScope.project,
    bundle,
    isPublic ? 'public' : 'operations',
    id,
  ];
  const path = names.map(encodeURIComponent).join('/');
  const { search } = new URL(request.url);
  const headers = new Headers(request.headers);
  if (!headers.has('x-timeloom-user')) headers.set('x-timeloom-user', testUser);
  headers.set(clientHeader, 'test');
  const { method, signal } = request;
  const body = await request.arrayBuffer();
  return fetch(`${url}/api/bundles/${path}${search}`, {
    ...{ method, headers, signal },
    ...(body.byteLength > 0 && { body }),
  });
}
