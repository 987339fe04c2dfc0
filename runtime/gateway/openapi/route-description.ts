import type { z } from 'zod';

/** A JSON schema, or bytes or text without a schema. */
export type Media = z.ZodType | 'bytes' | 'text';

export type RouteResponse = {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The description of one route; its schemas are those that its handler parses with. */
export type RouteDescription = {
  /** The operation id; for a route with several methods, the method is prepended. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The supported methods of a route that is registered for all methods. */
  readonly methods?: readonly string[];
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: Readonly<Record<string, Media>>;
  /** If false, the body is optional. */
  readonly needsBody?: boolean;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Refusal codes besides those of every route; their statuses are the actual ones. */
  readonly refusals?: readonly string[];
  /** The body of an error, if it is that of another protocol. */
  readonly errors?: z.ZodType;
};

/** By `METHOD /path`, in the router's syntax. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

export function json(schema: Media): Readonly<Record<string, Media>> {
  return { 'application/json': schema };
}
