import type { JsonObject } from '../../base/json.ts';
import type { AuthMode } from '../ports/tokens.ts';
import { toApiSchema } from './api-schema.ts';
import { Components } from './components.ts';
import type { DescribedRoute } from './describe-routes.ts';
import { toParameters, toPath } from './parameters.ts';
import { faultResponses, toResponses } from './responses.ts';
import type { Media, RouteFacts } from './route-description.ts';

type Whole = { readonly auth: AuthMode; readonly routes: readonly DescribedRoute[] };

/** OpenAPI 3.1 of everything that the gateway answers over HTTP. */
export function toDocument({ auth, routes }: Whole): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const { path, parameters } = toPath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: toOperation(route, { auth, components, parameters }),
    };
  }
  return wholeOf({
    title: 'Timeloom',
    description:
      'What this server answers over HTTP. Every schema is the one that the server itself parses with. ' +
      "What bundles bring stands in each bundle's own document; Socket.IO is at `/socket.io`.",
    ...{ auth, paths, components },
  });
}

/** The frame of a document, this one's and a bundle's. */
export function wholeOf(parts: {
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

/** With dev authentication, who says nothing is `dev`. */
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
  { method, facts, identified }: DescribedRoute,
  { auth, components, parameters: inPath }: Place,
): JsonObject {
  const id = facts.methods === undefined ? facts.id : `${method.toLowerCase()}${facts.id}`;
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  const { query, headers, says, more, tag } = facts;
  const asked = (schema: RouteFacts['query'], place: 'query' | 'header') =>
    schema ? toParameters(toApiSchema(schema, 'input'), { place, components, name }) : [];
  const parameters = [...inPath, ...asked(query, 'query'), ...asked(headers, 'header')];
  const takesBody = facts.body !== undefined && method !== 'GET';
  return {
    operationId: id,
    tags: [tag],
    summary: says,
    ...(more !== undefined && { description: more }),
    security: securityOf(auth, identified),
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: toBody(facts, { components, name }) }),
    responses: toResponses(facts, { components, name, identified, takesBody }),
  };
}

function toBody(
  { body = {}, needsBody = false }: RouteFacts,
  { components, name }: { components: Components; name: string },
): JsonObject {
  const schemaOf = (media: Media): JsonObject =>
    typeof media === 'string'
      ? {}
      : components.place(toApiSchema(media, 'input'), { name: `${name}.body` });
  const toEntry = ([mime, media]: [string, Media]) => [mime, { schema: schemaOf(media) }] as const;
  const content = Object.fromEntries(Object.entries(body).map(toEntry));
  return { required: needsBody, content };
}
