import { HttpAgent } from '@ag-ui/client';
import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2';

/** A fetch handler of CopilotKit's runtime: give it to Hono, Next.js or `@hono/node-server`. */
export function createHandler(server) {
  const desk = new HttpAgent({ url: `${server}/api/ag-ui/dev/dev/desk/main` });
  const runtime = new CopilotRuntime({ agents: { desk } });
  return createCopilotRuntimeHandler({ runtime, basePath: '/api/copilotkit' });
}
