import type { Context } from 'hono';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { parseInput } from '../../input/parse-input.ts';
import { taskIdOf } from '../../projections/a2a/a2a.ts';
import { TaskState } from '../../projections/a2a/task-state.ts';
import { type A2aVersion, type TaskNames, toTask } from '../../projections/a2a/wire-task.ts';
import type { AgentName } from '../agent-name.ts';
import { readTail } from '../langgraph/thread.ts';
import { originOf } from './agent-card.ts';
import { listedContextsMax, listedTasksMax } from './limits.ts';

const listParams = z.looseObject({
  contextId: z.string().max(300).nullish(),
  status: z.union([z.string().max(60), z.int()]).nullish(),
  pageSize: z.int().min(0).max(listedTasksMax).nullish(),
  pageToken: z.string().max(20).nullish(),
  historyLength: z.int().min(0).nullish(),
  includeArtifacts: z.boolean().nullish(),
});

const pageSizeDefault = 50;

type Listing = {
  readonly parts: HttpParts;
  readonly agent: AgentName;
  readonly version: A2aVersion;
  readonly params: unknown;
};

/** The last tasks of the user with this agent, newest first: of one context, or of the latest ones. */
export async function listTasks(
  context: Context<Env>,
  { parts, agent, version, params }: Listing,
): Promise<JsonObject> {
  const request = parseInput(listParams, params ?? {});
  const names = { version, origin: originOf(context) };
  const tasks: JsonObject[] = [];
  for (const row of await rowsOf(context, parts, request.contextId)) {
    const turns = turnsIn(await readTail(row, parts)).toReversed();
    const own = turns.filter((turn) => isOf(turn, agent));
    tasks.push(...own.map((turn) => taskIn(turn, { ...names, context: row.id })));
  }
  const wanted = request.status || undefined;
  const named = tasks.filter(({ status }) => wanted === undefined || isIn(status, wanted));
  const first = Number(/^\d+$/.exec(request.pageToken ?? '')?.[0] ?? 0);
  const pageSize = request.pageSize || pageSizeDefault;
  const next = first + pageSize;
  return {
    tasks: named.slice(first, next).map((task) => shortened(task, request)),
    nextPageToken: next < named.length ? String(next) : '',
    ...{ pageSize, totalSize: named.length },
  };
}

function taskIn(turn: readonly WireEnvelope[], names: Omit<TaskNames, 'task'>): JsonObject {
  const state = new TaskState();
  for (const envelope of turn) state.take(envelope);
  return toTask(state, { ...names, task: taskIdOf(names.context, turn[0]?.turn_id ?? '') });
}

async function rowsOf(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  contextId: string | null | undefined,
): Promise<readonly ConversationRow[]> {
  const sender = context.get('sender');
  if (!contextId) return deps.store.list(sender, { limit: listedContextsMax, signal });
  const row = await deps.store.find(sender, contextId, { signal });
  return row ? [row] : [];
}

function turnsIn(envelopes: readonly WireEnvelope[]): readonly (readonly WireEnvelope[])[] {
  const turns = new Map<string, WireEnvelope[]>();
  for (const envelope of envelopes) {
    const { turn_id: turn } = envelope;
    if (turn !== '') turns.set(turn, [...(turns.get(turn) ?? []), envelope]);
  }
  return [...turns.values()];
}

function isOf(turn: readonly WireEnvelope[], { bundle_id, agent_id }: AgentName): boolean {
  const { data = {} } = turn.find(({ type }) => type === 'chat.start') ?? {};
  return data['bundle_id'] === bundle_id && data['agent_id'] === agent_id;
}

function isIn(status: unknown, wanted: string | number): boolean {
  return z.looseObject({ state: z.literal(wanted) }).safeParse(status).success;
}

type Detail = Pick<z.infer<typeof listParams>, 'historyLength' | 'includeArtifacts'>;

/** Artifacts and history are long: a list has them only if it is asked for them. */
function shortened(task: JsonObject, { historyLength, includeArtifacts }: Detail): JsonObject {
  const { history, artifacts, ...rest } = task;
  const count = historyLength ?? 0;
  const latest = Array.isArray(history) && count > 0 ? history.slice(-count) : [];
  return {
    ...rest,
    history: latest,
    ...(includeArtifacts === true ? { artifacts: artifacts ?? [] } : { artifacts: [] }),
  };
}
