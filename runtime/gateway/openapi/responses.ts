import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Refused, WireError } from '../../client/protocol/envelope.ts';
import { statusOfCode } from '../http/status.ts';
import { schemaNames, toApiSchema } from './api-schema.ts';
import type { Components } from './components.ts';
import type { Media, RouteDescription, RouteResponse } from './route-description.ts';

const wireError = z.object({
  code: z.string(),
  message: z.string(),
  retry_after_ms: z.number().exactOptional(),
  file: z.string().exactOptional(),
  reason: z.string().exactOptional(),
}) satisfies z.ZodType<WireError>;

/** The body of every error response. */
const errorBody = z.object({
  ok: z.literal(false),
  status: z.enum(['refused', 'conflict']).exactOptional(),
  error: wireError,
}) satisfies z.ZodType<Refused>;

schemaNames.add(wireError, {
  id: 'Error',
  description: 'A code in lower case is a refusal, in upper case a fault of the server.',
});
schemaNames.add(errorBody, { id: 'Refused' });

type Place = {
  readonly components: Components;
  readonly name: string;
  readonly identified: boolean;
  readonly takesBody: boolean;
};

/** The responses of a route, with every refusal under its actual status. */
export function toResponses(facts: RouteDescription, place: Place): JsonObject {
  const { components, name, identified, takesBody } = place;
  const byStatus = new Map<number, JsonObject>();
  for (const [status, answer] of Object.entries(facts.responses)) {
    byStatus.set(Number(status), toResponse(answer, { components, name: `${name}.${status}` }));
  }
  const asks = takesBody || facts.query !== undefined || identified;
  const codes = [
    ...(asks ? ['invalid_input'] : []),
    ...(identified ? ['unauthenticated', 'forbidden'] : []),
    ...(takesBody ? ['attachment_refused'] : []),
    ...(facts.refusals ?? []),
  ];
  const errors = {
    ...refusalsOf(codes, components, facts.errors),
    ...faultsOf(components, facts.errors),
  };
  for (const [status, response] of Object.entries(errors)) {
    if (!byStatus.has(Number(status))) byStatus.set(Number(status), response);
  }
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, response]) => [String(status), response]));
}

function refusalsOf(codes: readonly string[], components: Components, errors?: z.ZodType) {
  const responses = [...grouped(codes)].map(
    ([status, some]) => [status, refusalResponse(some, components, errors)] as const,
  );
  return Object.fromEntries(responses);
}

function faultsOf(
  components: Components,
  errors?: z.ZodType,
): Readonly<Record<string, JsonObject>> {
  if (errors === undefined) return faultAnswers;
  const fault = errorResponse('A fault.', components, errors);
  return { 500: fault, 503: fault };
}

/** Responses that every route may give, by status. */
export const faultAnswers = {
  500: { $ref: '#/components/responses/Fault' },
  503: { $ref: '#/components/responses/Unavailable' },
};

export function faultResponses(components: Components): JsonObject {
  const lasting = 'A fault or a defect of the server: the code is in upper case.';
  const passing = 'A temporary fault: a retry may succeed.';
  return {
    Fault: errorResponse(lasting, components),
    Unavailable: errorResponse(passing, components),
  };
}

/** An error response that is described by its codes. */
export function refusalResponse(
  codes: readonly string[],
  components: Components,
  errors?: z.ZodType,
): JsonObject {
  const list = codes.map((code) => `\`${code}\``).join(', ');
  const response = errorResponse(list, components, errors);
  // Other protocols have codes of their own.
  return errors === undefined ? { ...response, 'x-timeloom-codes': codes } : response;
}

export function errorResponse(
  description: string,
  components: Components,
  errors: z.ZodType = errorBody,
): JsonObject {
  const schema = components.embed(toApiSchema(errors, 'output'), { name: 'Refused' });
  return { description, content: { 'application/json': { schema } } };
}

function grouped(codes: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const code of new Set(codes)) {
    const status = statusOfCode(code);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

/** A response without content is an error if its status says so; otherwise it has no body. */
function toResponse(
  { description, content, headers }: RouteResponse,
  { components, name }: Pick<Place, 'components' | 'name'>,
): JsonObject {
  if (!content) {
    return Number(name.split('.').at(-1)) < 400
      ? { description }
      : errorResponse(description, components);
  }
  const schemaOf = (media: Media): JsonObject => {
    if (media === 'bytes') return {};
    if (media === 'text') return { type: 'string' };
    return components.embed(toApiSchema(media, 'output'), { name });
  };
  const media = Object.entries(content).map(
    ([mime, one]) => [mime, { schema: schemaOf(one) }] as const,
  );
  const described = Object.entries(headers ?? {}).map(
    ([header, description]) => [header, { description, schema: { type: 'string' } }] as const,
  );
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    content: Object.fromEntries(media),
  };
}
