import type { Hono } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { agentNamed, agentNames } from '../agent-name.ts';

/** The agents, which are assistants to clients of LangGraph. */
export function addAssistantRoutes(app: Hono<Env>, { deps }: HttpParts, root: string): void {
  app.post(`${root}/assistants/search`, (context) =>
    context.json(agentNames(deps.bundles).map(toAssistant)),
  );
  app.get(`${root}/assistants/:assistant`, (context) => {
    const { bundle_id, agent_id } = agentNamed(deps.bundles, context.req.param('assistant'));
    return context.json(toAssistant(`${bundle_id}/${agent_id}`));
  });
}

function toAssistant(name: string): JsonObject {
  return {
    ...{ assistant_id: name, graph_id: name, name, description: null },
    ...{ config: {}, context: {}, metadata: {}, version: 1 },
    ...{ created_at: new Date(0).toISOString(), updated_at: new Date(0).toISOString() },
  };
}
