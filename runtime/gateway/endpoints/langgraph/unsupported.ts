import type { Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import type { Env } from '../../http/context.ts';

const noState =
  'a log keeps what happened, so the state of a thread cannot be written; send a message, or resume it with a command';
const noCrons = 'crons are not supported; declare a job with a schedule in the bundle (defineJob)';
const noStore =
  'the store is not supported; a bundle keeps values with ctx.storage, and its operations let clients read and write them';
const assistants =
  'assistants are the agents of the installed bundles; change them in their bundle';

/** What clients of LangGraph may ask for and this server does not have, and what to do instead. */
const unsupported: readonly (readonly [path: string, message: string])[] = [
  ['/store/*', noStore],
  ['/runs/crons', noCrons],
  ['/runs/crons/*', noCrons],
  ['/threads/:thread/runs/crons', noCrons],
  ['/runs/batch', 'batches are not supported; send one request for each run'],
  ['/runs/cancel', 'cancel each run by its id: POST /threads/{thread_id}/runs/{run_id}/cancel'],
  ['/threads/count', 'count the threads of POST /threads/search'],
  ['/threads/prune', 'erase a thread with DELETE /threads/{thread_id}'],
  [
    '/threads/:thread/copy',
    'copy a thread with POST /conversations/{tenant}/{project}/{thread_id}/fork, also from an earlier block',
  ],
  ['/threads/:thread/state', noState],
  ['/threads/:thread/state/*', noState],
  [
    '/threads/:thread/runs/:run',
    'a run is a part of its thread: erase the thread with DELETE /threads/{thread_id}',
  ],
  [
    '/threads/:thread/stream/*',
    'this streaming protocol is not supported; use runs.stream, or follow all runs with GET /threads/{thread_id}/stream',
  ],
  [
    '/threads/:thread/commands',
    'commands are not supported; begin or resume a run with POST /threads/{thread_id}/runs/stream',
  ],
  ['/assistants', assistants],
  ['/assistants/count', 'count the agents of POST /assistants/search'],
  ['/assistants/:assistant', assistants],
  [
    '/assistants/:assistant/*',
    'agents have no graphs, versions or subgraphs; GET /assistants/{assistant_id} describes one',
  ],
];

/** Refusal `unsupported` for the rest of the API: what no route before has answered. */
export function refuseUnsupported(app: Hono<Env>, root: string): void {
  for (const [path, message] of unsupported) {
    const refuse: MiddlewareHandler<Env> = async (_context, _next) => {
      throw new Refusal('unsupported', message);
    };
    app.use(`${root}${path}`, refuse);
  }
}
