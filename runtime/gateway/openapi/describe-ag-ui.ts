import { z } from 'zod';
import { runRequest } from '../endpoints/ag-ui/run-request.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescription, type RouteDescriptions } from './route-description.ts';

const event = z.looseObject({ type: z.string() });
const error = z.looseObject({ type: z.literal('RUN_ERROR'), message: z.string() });

schemaNames.add(event, { id: 'AgUiEvent' });
schemaNames.add(error, { id: 'AgUiError' });

function run(id: string): RouteDescription {
  return {
    id,
    tag: 'AG-UI',
    summary: 'Runs an agent, and streams the events of the run.',
    description:
      '`threadId` is the conversation id, the id of the last message its message id. `resume` answers interrupts, tool messages at the end answer tool calls of the client. Repeat the request with `Last-Event-ID` to go on after a lost connection.',
    headers: z.object({ 'Last-Event-ID': z.string().optional() }),
    body: json(runRequest),
    needsBody: true,
    responses: {
      200: {
        description: 'Events of AG-UI 1.0; the `id` of each resumes after it.',
        content: { 'text/event-stream': event },
      },
    },
    refusals: [
      ...['busy', 'not_found', 'conflict', 'turn_closed', 'attachment_refused', 'cursor_invalid'],
      ...['approval_closed', 'approval_expired', 'call_closed', 'call_expired'],
    ],
    errors: error,
  };
}

/** Clients of AG-UI. Of the default bundle, the name of the agent is enough. */
export const agUiDescriptions: RouteDescriptions = {
  'POST /api/ag-ui/:tenant/:project/:agent': run('runAgent'),
  'POST /api/ag-ui/:tenant/:project/:bundle/:agent': run('runAgentOfBundle'),
};
