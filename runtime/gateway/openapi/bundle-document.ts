import type { JsonObject } from '../../base/json.ts';
import { clientHeader } from '../../client/protocol/routes.ts';
import type { BundleOperation } from '../../sdk/contract/runtime-bundle.ts';
import type { AuthMode } from '../ports/tokens.ts';
import { Components } from './components.ts';
import { toParameters } from './parameters.ts';
import { errorResponse, faultAnswers, refusalResponse } from './responses.ts';
import { securityOf, toOpenApi } from './server-document.ts';

type ServedOperations = {
  readonly auth: AuthMode;
  readonly tenant: string;
  readonly project: string;
  readonly bundle: string;
  readonly operations: readonly BundleOperation[];
};

/** The OpenAPI 3.1 document of one bundle's operations, from the schemas that its author wrote. */
export function toBundleDocument({ auth, operations, ...names }: ServedOperations): JsonObject {
  const { tenant, project, bundle } = names;
  const components = new Components();
  const at = ['/api/bundles', tenant, project, bundle].map(encodePart).join('/');
  const paths = operations.map((operation) => {
    const folder = operation.access === 'public' ? 'public' : 'operations';
    const method = operation.method.toLowerCase();
    const described = toOperation(operation, { auth, components });
    return [`${at}/${folder}/${encodePart(operation.id)}`, { [method]: described }] as const;
  });
  return toOpenApi({
    title: bundle,
    description: 'The operations of one bundle.',
    ...{ auth, paths: Object.fromEntries(paths), components },
  });
}

function encodePart(part: string): string {
  return part.startsWith('/') ? part : encodeURIComponent(part);
}

function toOperation(
  operation: BundleOperation,
  { auth, components }: { auth: AuthMode; components: Components },
): JsonObject {
  const { id: name, method, access } = operation;
  const { input, output } = operation.schemas();
  const parametersOrBody =
    method === 'GET'
      ? {
          parameters: [
            ...clientHeaderParameter(access),
            ...toParameters(input, { place: 'query', components, name }),
          ],
        }
      : { requestBody: toBody(input, { components, name }) };
  const place = { name: `${name}.output`, prefix: `${name}.output.` };
  const ret = output ? components.embed(output, place) : {};
  const roles = typeof access === 'string' ? [] : access.roles;
  return {
    operationId: name,
    ...(roles.length > 0 && { description: `Requires one of these roles: ${roles.join(', ')}.` }),
    'x-timeloom-access': access,
    security: securityOf(auth, access !== 'public'),
    ...parametersOrBody,
    responses: {
      200: okResponse(ret, output !== undefined),
      ...errorResponses(operation, components),
    },
  };
}

/** The header that protects against forged requests; a bearer token serves as well. */
function clientHeaderParameter(access: BundleOperation['access']): readonly JsonObject[] {
  if (access === 'public') return [];
  const description =
    'Any value: no image, link or form can send this header. Not needed with a bearer token.';
  const schema = { type: 'string' };
  return [{ name: clientHeader, in: 'header', required: false, description, schema }];
}

function toBody(
  input: JsonObject,
  { components, name }: { components: Components; name: string },
): JsonObject {
  const schema = components.embed(input, { name: `${name}.input`, prefix: `${name}.input.` });
  const { required = [] } = input;
  const needs = Array.isArray(required) && required.length > 0;
  return { required: needs, content: { 'application/json': { schema } } };
}

function okResponse(ret: JsonObject, isDeclared: boolean): JsonObject {
  const properties = { ok: { const: true }, ret };
  const schema = { type: 'object', properties, required: ['ok', 'ret'] };
  const description = isDeclared
    ? 'The return value.'
    : 'The return value; an operation may also return any other response.';
  return { description, content: { 'application/json': { schema } } };
}

function errorResponses({ access }: BundleOperation, components: Components): JsonObject {
  const no = (codes: readonly string[]) => refusalResponse(codes, components);
  return {
    400: no(['invalid_input']),
    401: no([access === 'public' ? 'unverified' : 'unauthenticated']),
    403: no(['forbidden']),
    404: no(['not_found']),
    413: no(['too_large']),
    422: errorResponse('The operation refused; it chooses code and message.', components),
    429: no(['busy']),
    502: errorResponse('The operation failed; the reason is in the server log.', components),
    ...faultAnswers,
  };
}
