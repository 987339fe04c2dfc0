import type { Context } from 'hono';
import type { JsonObject } from '../../../base/json.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import type { AgentName } from '../agent-name.ts';

/** Where this server is, as the client addressed it. */
export function originOf({ req }: Context<Env>): string {
  const { protocol, host } = new URL(req.url);
  const forwarded = req.header('x-forwarded-proto');
  return forwarded === 'https' ? `https://${host}` : `${protocol}//${host}`;
}

/** The card of an agent, for clients of 1.0 and of 0.3. */
export function agentCard(
  context: Context<Env>,
  { deps }: HttpParts,
  { bundle_id: bundle, agent_id: agent }: AgentName,
): JsonObject {
  const { tenant, project } = deps.scope;
  const served = deps.bundles.bundles().find(({ id }) => id === bundle);
  const path = `/api/a2a/${tenant}/${project}/${bundle}/${agent}`;
  const url = `${originOf(context)}${path}`;
  const name = `${served?.title ?? bundle}: ${agent}`;
  const description = `The agent “${agent}” of “${served?.title ?? bundle}”.`;
  const binding = { url, protocolBinding: 'JSONRPC', tenant: '' };
  return {
    name,
    description,
    version: served?.version ?? '1',
    supportedInterfaces: [
      { ...binding, protocolVersion: '1.0' },
      { ...binding, protocolVersion: '0.3' },
    ],
    url,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    ...security(deps.auth.mode),
    defaultInputModes: ['text/plain', 'application/json', 'image/*', 'application/pdf'],
    defaultOutputModes: ['text/markdown', 'application/json'],
    skills: [{ id: agent, name, description, tags: [bundle] }],
  };
}

function security(mode: 'dev' | 'jwt'): JsonObject {
  if (mode === 'dev') return {};
  return {
    securitySchemes: {
      bearer: {
        httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' },
        type: 'http',
        scheme: 'bearer',
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    security: [{ bearer: [] }],
  };
}
