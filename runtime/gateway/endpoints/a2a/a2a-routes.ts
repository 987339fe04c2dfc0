import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { type Env, type HttpParts, setRetryAfter, shapeErrors } from '../../http/context.ts';
import { parseInput } from '../../input/parse-input.ts';
import { a2a, taskIdOf } from '../../projections/a2a/a2a.ts';
import { type A2aVersion, toTask } from '../../projections/a2a/wire-task.ts';
import { type AgentName, agentInPath } from '../agent-name.ts';
import { followTurn } from '../follow-turn.ts';
import { streamTurn } from '../turn-stream.ts';
import { agentCard, originOf } from './agent-card.ts';
import { listTasks } from './list-tasks.ts';
import { sendParams, taskParams } from './message-params.ts';
import {
  a2aError,
  methods,
  type RpcId,
  readBody,
  rpcRequest,
  toRpcError,
  unknownMethod,
} from './rpc.ts';
import { sendMessage } from './send-message.ts';
import { type FoundTask, findTask, readTask } from './tasks.ts';

export const shapeA2aErrors = shapeErrors(a2aError);

/** An agent for clients of A2A: its card, and one address for all methods. A task is a turn, a context is a conversation. */
export function addA2aRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  const root = '/api/a2a/:tenant/:project';
  app.use(`${root}/*`, known);
  for (const agent of [`${root}/:agent`, `${root}/:bundle/:agent`]) {
    app.get(`${agent}/.well-known/agent-card.json`, (context) =>
      context.json(agentCard(context, parts, agentInPath(context, parts.deps.bundles))),
    );
    app.post(agent, (context) => postRequest(context, parts));
  }
}

async function postRequest(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { read, id } = readBody(await context.req.text());
  try {
    if (!read.ok)
      throw new Refusal('not_json', `the request body is not valid JSON: ${read.because}`);
    const agent = agentInPath(context, parts.deps.bundles);
    return await answer(context, { parts, agent, id }, read.value);
  } catch (error) {
    const wireError = parts.intake.explain(error);
    setRetryAfter(context, wireError);
    return context.json(toRpcError(id, wireError));
  }
}

type Request = { readonly parts: HttpParts; readonly agent: AgentName; readonly id: RpcId };
type Call = Request & { readonly params: unknown; readonly version: A2aVersion };

function answer(
  context: Context<Env>,
  request: Request,
  body: unknown,
): Promise<Response> | Response {
  const parsed = rpcRequest.safeParse(body);
  if (!parsed.success) throw new Refusal('invalid_request', 'send one JSON-RPC 2.0 request');
  const { method: name, params } = parsed.data;
  const found = methods.get(name);
  if (!found) {
    throw unknownMethod(name);
  }
  const call = { ...request, params, version: found.version };
  switch (found.method) {
    case 'send':
      return send(context, call);
    case 'stream':
      return stream(context, call);
    case 'get':
      return get(context, call);
    case 'list':
      return list(context, call);
    case 'cancel':
      return cancel(context, call);
    default:
      return subscribe(context, call);
  }
}

async function list(context: Context<Env>, call: Call): Promise<Response> {
  return context.json({ jsonrpc: '2.0', id: call.id, result: await listTasks(context, call) });
}

function namesOf(context: Context<Env>, { version }: Call, task: Pick<FoundTask, 'row' | 'turn'>) {
  const { id: conversation } = task.row;
  return {
    ...{ version, origin: originOf(context), context: conversation },
    task: taskIdOf(conversation, task.turn),
  };
}

async function send(context: Context<Env>, call: Call): Promise<Response> {
  const { parts, params } = call;
  const { configuration } = parseInput(sendParams, params ?? null);
  const { row, after, event } = await sendMessage(context, parts, call);
  const { returnImmediately, blocking } = configuration ?? {};
  const isWaiting = returnImmediately !== true && blocking !== false;
  let { turn } = event;
  if (isWaiting) {
    const end = await followTurn(
      parts.deps,
      { row, start: after.position, turn, event: event.id },
      {
        signal: parts.closing,
        gone: context.req.raw.signal,
        until: ({ type }) => type === 'chat.approval' || type === 'external.call',
      },
    );
    turn = end?.turn_id ?? turn;
  }
  return sendTask(context, call, taskIdOf(row.id, turn));
}

async function sendTask(context: Context<Env>, call: Call, task: string): Promise<Response> {
  const found = await findTask(context.get('sender'), task, call.parts);
  const made = toTask(await readTask(found, call.parts), namesOf(context, call, found));
  const isSent = call.version === '1.0' && isSending(call.params);
  return context.json({ jsonrpc: '2.0', id: call.id, result: isSent ? { task: made } : made });
}

/** Version 1.0 wraps the response to a message, which may also be a message; a task that was requested is bare. */
function isSending(params: unknown): boolean {
  return sendParams.safeParse(params).success;
}

async function stream(context: Context<Env>, call: Call): Promise<Response> {
  const { parts, id: rpcId, version } = call;
  const taken = await sendMessage(context, parts, call);
  const kind = a2a({ rpcId, version, origin: originOf(context) });
  return streamTurn(context, parts, { ...taken, kind });
}

async function get(context: Context<Env>, call: Call): Promise<Response> {
  return sendTask(context, call, parseInput(taskParams, call.params ?? null).id);
}

async function cancel(context: Context<Env>, call: Call): Promise<Response> {
  const { parts } = call;
  const { deps, intake, closing: signal } = parts;
  const { id } = parseInput(taskParams, call.params ?? null);
  const { row, turn, start } = await findTask(context.get('sender'), id, parts);
  if (row.openTurn !== turn) throw new Refusal('task_not_cancelable', 'the task has ended');
  const stop = {
    ...{ conversation_id: row.id, message_id: deps.ids.next('msg') },
    ...{ kind: 'steer', text: '', expected_turn_id: turn },
  };
  await intake.take(context.get('sender'), stop, { signal });
  const gone = context.req.raw.signal;
  await followTurn(deps, { row, start: start.position, turn }, { signal, gone });
  return sendTask(context, call, id);
}

async function subscribe(context: Context<Env>, call: Call): Promise<Response> {
  const { parts, id: rpcId, version } = call;
  const { id } = parseInput(taskParams, call.params ?? null);
  const { row, start: after } = await findTask(context.get('sender'), id, parts);
  const kind = a2a({ rpcId, version, origin: originOf(context) });
  return streamTurn(context, parts, { row, after, kind });
}
