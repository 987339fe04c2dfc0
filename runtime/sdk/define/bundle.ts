import type { z } from 'zod';
import type { Agent } from './agent.ts';
import type { BundleTypes } from './bundle-types.ts';
import type { AnyTool, Awaitable, Context } from './context.ts';
import type { Hook } from './hook.ts';
import type { EventDefinition, Job, Props, Resource, Secret } from './keys.ts';
import type { Knowledge } from './knowledge.ts';
import type { Skill } from './skill.ts';
import type { Operation, Verify, Widget } from './surfaces.ts';

export type McpServer = {
  id: string;
  allow?: readonly string[];
  deny?: readonly string[];
  required?: boolean;
  timeoutMs?: number;
} & (
  | { url: string; bearer?: Secret; headers?: Record<string, string | Secret> }
  | { command: string; args?: readonly string[]; env?: Record<string, string | Secret> }
);

export type McpEndpoint = {
  id: string;
  tools: readonly AnyTool[];
  agents?: readonly Agent[];
} & (
  | { access?: 'user' | { readonly roles: readonly string[] } }
  | { access: 'public'; verify: Verify }
);

export interface Bundle<Types = unknown> {
  readonly id: string;
  /** Carries the types for a client: `connect<typeof bundle>()`. */
  readonly '~types'?: Types;
}

type BundleBody<O = readonly Operation[], A = readonly Agent[]> = {
  id: string;
  version: string;
  title?: string;
  props?: Props<unknown>;
  secrets?: readonly Secret[];
  resources?: readonly Resource<unknown>[];
  /** A folder of skills, or a list of skills. */
  skills?: string | readonly Skill[];
  /** The first is the default. */
  agents?: A;
  widgets?: readonly Widget[];
  operations?: O;
  jobs?: readonly Job<z.ZodObject>[];
  events?: readonly EventDefinition<z.ZodType>[];
  hooks?: readonly Hook[];
  knowledge?: Knowledge;
  mcp?: { use?: readonly McpServer[]; expose?: readonly McpEndpoint[] };
  /** Runs once per process and revision, before any traffic. If it throws, the revision does not serve. */
  onLoad?(ctx: Context): Awaitable<void>;
  onPropsChanged?(ctx: Context): Awaitable<void>;
  /** Runs after this revision's last run. Then its resources close, newest first. */
  dispose?(): Awaitable<void>;
};

export type BundleDefinition = Readonly<BundleBody> & { readonly definition: 'bundle' };

/** Packages agents, tools, skills and widgets under one id. File names are relative to the bundle's folder. */
export function defineBundle<
  const O extends readonly Operation[] = readonly [],
  const A extends readonly Agent[] = readonly [],
>(bundle: BundleBody<O, A>): Bundle<BundleTypes<O[number], A[number]>> {
  return Object.freeze({ definition: 'bundle', ...bundle } satisfies BundleDefinition);
}
