import type { JsonObject } from '../../base/json.ts';
import type { AuthMode } from '../ports/tokens.ts';
import { toApiSchema } from './api-schema.ts';
import { Components } from './components.ts';
import type { DescribedRoute } from './describe-routes.ts';
import { toParameters, toPath } from './parameters.ts';
import { faultResponses, toResponses } from './responses.ts';
import type { Media, RouteDescription } from './route-description.ts';

type ServerRoutes = { readonly auth: AuthMode; readonly routes: readonly DescribedRoute[] };

/** The OpenAPI 3.1 document of all HTTP routes of the gateway. */
export function toServerDocument({ auth, routes }: ServerRoutes): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const { path, parameters } = toPath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: toOperation(route, { auth, components, parameters }),
    };
  }
  return toOpenApi({
    title: 'Timeloom',
    description:
      'The HTTP API of this server. Every schema is the one that the server itself parses with. ' +
      'Each bundle has a document of its own; Socket.IO is at `/socket.io`.',
    ...{ auth, paths, components },
  });
}

/** The common frame of the documents of the server and of bundles. */
export function toOpenApi(parts: {
  readonly title: string;
  readonly description: string;
  readonly version?: string;
  readonly auth: AuthMode;
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components: Components;
}): JsonObject {
  const { title, description, version = '1', auth, paths, components } = parts;
  const securitySchemes: JsonObject =
    auth.mode === 'dev'
      ? { user: { type: 'apiKey', in: 'header', name: 'X-Timeloom-User' } }
      : { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } };
  const responses = faultResponses(components);
  return {
    openapi: '3.1.1',
    info: { title, version, description },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: components.toJson(), responses, securitySchemes },
  };
}

/** With dev authentication, the default user is `dev`. */
export function securityOf({ mode }: AuthMode, identified: boolean): readonly JsonObject[] {
  if (!identified) return [];
  return mode === 'dev' ? [{}, { user: [] }] : [{ bearer: [] }];
}

type Place = {
  readonly auth: AuthMode;
  readonly components: Components;
  readonly parameters: readonly JsonObject[];
};

function toOperation(
  { method, description: route, identified }: DescribedRoute,
  { auth, components, parameters: inPath }: Place,
): JsonObject {
  const id = route.methods === undefined ? route.id : `${method.toLowerCase()}${route.id}`;
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  const { query, headers, summary, description, tag } = route;
  const parametersOf = (schema: RouteDescription['query'], place: 'query' | 'header') =>
    schema ? toParameters(toApiSchema(schema, 'input'), { place, components, name }) : [];
  const parameters = [
    ...inPath,
    ...parametersOf(query, 'query'),
    ...parametersOf(headers, 'header'),
  ];
  const takesBody = route.body !== undefined && method !== 'GET';
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(auth, identified),
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: toBody(route, { components, name }) }),
    responses: toResponses(route, { components, name, identified, takesBody }),
  };
}

function toBody(
  { body = {}, needsBody = false }: RouteDescription,
  { components, name }: { components: Components; name: string },
): JsonObject {
  const schemaOf = (media: Media): JsonObject =>
    typeof media === 'string'
      ? {}
      : components.embed(toApiSchema(media, 'input'), { name: `${name}.body` });
  const toEntry = ([mime, media]: [string, Media]) => [mime, { schema: schemaOf(media) }] as const;
  const content = Object.fromEntries(Object.entries(body).map(toEntry));
  return { required: needsBody, content };
}
