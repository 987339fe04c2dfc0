import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { presentedToken } from '../auth/credentials.ts';
import type { Env } from '../http/context.ts';
import { decoded, namedProject } from '../http/named-project.ts';
import type { Projects } from './projects.ts';

type ServedRoutes = { readonly scope: ProjectScope; readonly app: Hono<Env> };
type Answer = Response | Promise<Response>;

/**
 * Hands each request to the routes of its project, which know only that project and authenticate the request for it. A
 * request names its project in the path, else in the header `X-Timeloom-Project` or the parameter `project`; otherwise its
 * token does. A project that is not served is answered by the routes of the installation's own, which refuse it.
 */
export class ProjectRouter {
  readonly #projects: Projects<ServedRoutes>;
  readonly #authenticate: Authenticate;
  readonly #signal: AbortSignal;
  #inPath: RegExp | undefined;

  constructor(
    projects: Projects<ServedRoutes>,
    { authenticate, closing }: { authenticate: Authenticate; closing: AbortSignal },
  ) {
    this.#projects = projects;
    this.#authenticate = authenticate;
    this.#signal = closing;
  }

  answer(request: Request, env: HttpBindings): Answer {
    const { home, all } = this.#projects;
    if (all.length === 1) return home.app.fetch(request, env);
    const named = this.#namedBy(request);
    if (named) return (this.#projects.of(named) ?? home).app.fetch(request, env);
    return this.#ofToken(request).then((served) => served.app.fetch(request, env));
  }

  #namedBy(request: Request): ProjectScope | undefined {
    const { pathname } = new URL(request.url);
    this.#inPath ??= projectPattern(this.#projects.home.app);
    const [, tenant, project] = this.#inPath.exec(pathname) ?? [];
    if (tenant !== undefined && project !== undefined)
      return { tenant: decoded(tenant), project: decoded(project) };
    return namedProject(request);
  }

  /** Without a valid token the installation's own, whose routes say what is wrong. */
  async #ofToken({ headers, method }: Request): Promise<ServedRoutes> {
    const token = presentedToken((name) => headers.get(name) ?? undefined, method);
    if (token === undefined) return this.#projects.home;
    try {
      const sender = await this.#authenticate({ token }, { signal: this.#signal });
      return this.#projects.of(sender) ?? this.#projects.home;
    } catch {
      return this.#projects.home;
    }
  }
}

/** Matches the paths below `…/:tenant/:project` of the routes. */
function projectPattern(app: Hono<Env>): RegExp {
  const roots = app.routes.flatMap(({ path }) => /^(.*)\/:tenant\/:project/.exec(path)?.[1] ?? []);
  const names = [...new Set(roots)].map((root) => root.replaceAll(/[^\w/-]/g, String.raw`\$&`));
  return new RegExp(`^(?:${names.join('|')})/([^/]+)/([^/]+)(?:/|$)`);
}
