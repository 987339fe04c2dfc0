import type { Context, Hono, NotFoundHandler } from 'hono';
import { type Env, failure } from './context.ts';

/** The response if no route matches: 405 with `Allow` if the address supports other methods, otherwise 404. */
export function answerUnmatched(app: Hono<Env>): NotFoundHandler<Env> {
  return (context) => {
    const { method, path } = context.req;
    const taken = methodsAt(app, path);
    const isWrong = taken.length > 0 && !taken.includes(method);
    return isWrong ? wrongMethod(context, taken) : notFound(context);
  };
}

function wrongMethod(context: Context<Env>, taken: readonly string[]): Response {
  const { method, path } = context.req;
  context.header('Allow', taken.join(', '));
  const message = `method ${method} is not allowed for ${path}; use ${taken.join(', ')}`;
  return failure(context, { code: 'wrong_method', message }, 405);
}

function notFound(context: Context<Env>): Response {
  const message = `no route for ${context.req.method} ${context.req.path}`;
  return failure(context, { code: 'not_found', message }, 404);
}

/** Handlers for all methods are middleware, not routes. */
function methodsAt({ routes, router }: Hono<Env>, path: string): readonly string[] {
  const methods = [...new Set(routes.map(({ method }) => method))].filter((one) => one !== 'ALL');
  const taken = methods.filter((one) =>
    router.match(one, path)[0].some(([[, { method }]]) => method === one),
  );
  return taken.includes('GET') ? [...taken, 'HEAD'].toSorted() : taken.toSorted();
}
