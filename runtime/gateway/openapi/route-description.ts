import type { z } from 'zod';

/** A schema of JSON, or bytes and texts of which there is none. */
export type Media = z.ZodType | 'bytes' | 'text';

export type RouteResponse = {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What one route says of itself: the schemas are those that its handler parses with. */
export type RouteDescription = {
  /** The operation's id; of a route that takes several methods, the method stands before it. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Of a route for every method: those that do something. */
  readonly methods?: readonly string[];
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: Readonly<Record<string, Media>>;
  /** Without it, the body may be left out. */
  readonly needsBody?: boolean;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes of refusals beside those that every route has; their statuses are those that are really given. */
  readonly refusals?: readonly string[];
};

/** By `METHOD /path`, as the router knows it. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

export function json(schema: Media): Readonly<Record<string, Media>> {
  return { 'application/json': schema };
}
