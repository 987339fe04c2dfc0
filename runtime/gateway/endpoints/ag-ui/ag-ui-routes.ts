import type { Context, Hono, MiddlewareHandler } from 'hono';
import { type Env, type ErrorShape, type HttpParts, shapeErrors } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { agUi } from '../../projections/ag-ui/ag-ui.ts';
import { agentInPath } from '../agent-name.ts';
import { takeAll, takeMessage } from '../take-message.ts';
import { resumePointOf, streamTurn } from '../turn-stream.ts';
import { answeredIn, type RunRequest, runRequest, stateOf, toRunEvents } from './run-request.ts';

const agUiError: ErrorShape = ({ code, message }) => ({ type: 'RUN_ERROR', message, code });

export const shapeAgUiErrors = shapeErrors(agUiError);

/** For clients of AG-UI: `url` of an `HttpAgent` is the address of an agent. */
export function addAgUiRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  const root = '/api/ag-ui/:tenant/:project';
  app.use(`${root}/*`, known);
  for (const agent of [`${root}/:agent`, `${root}/:bundle/:agent`]) {
    app.post(agent, (context) => postRun(context, parts));
  }
}

/** The same request with `Last-Event-ID` goes on after that event: its message is accepted once. */
async function postRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const agent = agentInPath(context, parts.deps.bundles);
  const request = parseInput(runRequest, await jsonOf(context));
  const { isAnswer, messages } = toRunEvents(request);
  const taken = await takeAll(messages, (message) =>
    takeMessage(context, parts, isAnswer ? message : { ...message, ...agent }),
  );
  const last = context.req.header('last-event-id');
  const resumed = last
    ? { after: await resumePointOf(taken.row, last, parts), isResumed: true }
    : {};
  return streamTurn(context, parts, { ...taken, ...resumed, kind: agUi(toRun(request)) });
}

function toRun(request: RunRequest) {
  const { runId: id, messages } = request;
  return { id, messages, answered: answeredIn(request), state: stateOf(request) };
}
