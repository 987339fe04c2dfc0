import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { agentNames } from '../agent-name.ts';
import { agentOfModel } from './take-turn.ts';

/** `GET /v1/models`: the agents. */
export function getModels(context: Context<Env>, { deps }: HttpParts): Response {
  const data = agentNames(deps.bundles).map(toModel);
  return context.json({ object: 'list', data });
}

/** `GET /v1/models/{model}`: the name has a slash, which some clients encode. */
export function getModel(context: Context<Env>, parts: HttpParts): Response {
  const name = context.req.param('model') ?? '';
  agentOfModel(parts, name);
  return context.json(toModel(name));
}

function toModel(id: string): JsonObject {
  // No agent has a date of its own; clients only require a number.
  return { id, object: 'model', created: 0, owned_by: id.split('/')[0] ?? 'timeloom' };
}
