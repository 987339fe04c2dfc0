import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { Ids } from '../../../runtime/sdk/define/context.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';

export type ServeParts = {
  readonly loaded: LoadedBundle;
  readonly calls: OpenCalls;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
};

/** Users with a running call or operation. */
export function usersOf(calls: OpenCalls): readonly string[] {
  const visitors = calls.operations().flatMap(({ user }) => user ?? []);
  return [...calls.all().map(({ context }) => context.scope.user), ...visitors];
}

export function idsOf({ definition, revision, host }: LoadedBundle, call?: OpenCall): Ids {
  const { tenant, project } = host;
  const bundle = { tenant, project, bundle: definition.id, revision };
  if (!call) return bundle;
  const { scope, conversation, turn, round, call: id } = call.context;
  return { ...bundle, ...scope, conversation, turn, round, call: id, agent: call.agent };
}
