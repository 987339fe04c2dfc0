import type {
  BundleOperation,
  BundleWidget,
  EventKind,
  LiveProps,
} from '../../sdk/contract/runtime-bundle.ts';
import type { RuntimeHooks } from '../../sdk/contract/runtime-hooks.ts';
import type { UserSecretEntry } from '../../sdk/contract/user-secrets.ts';

export type DeclaredKind = Pick<EventKind, 'reactive' | 'credit' | 'parse'>;
export type ServedWidget = BundleWidget;
export type ServedBundle = {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Ids; the first is the default. */
  readonly agents: readonly string[];
  readonly widgets: readonly ServedWidget[];
};

/** What the front door must know about bundles. Answers may change while it runs: bundles are reloaded. */
export interface BundleDirectory {
  /** Where a message goes that names no bundle. */
  default(): { readonly bundle: string; readonly agent: string };
  /** The agent that serves, `agent` or the bundle's first. Undefined: there is no such bundle or agent. */
  agent(bundle: string, agent?: string): string | undefined;
  kind(bundle: string, kind: string): DeclaredKind | undefined;
  bundles(): readonly ServedBundle[];
  widgets(bundle: string): readonly ServedWidget[];
  operation(bundle: string, id: string): BundleOperation | undefined;
  operations(bundle: string): readonly BundleOperation[];
  /** What an operator may change of a bundle while it serves. Undefined: there is no such bundle, or it has no props. */
  props(bundle: string): LiveProps | undefined;
  /** Secrets that each user sets for themselves. Undefined: there is no such bundle. */
  userSecrets(bundle: string): readonly UserSecretEntry[] | undefined;
  /** What the hooks of a bundle say of an event, before it is taken in. Undefined: it has none there. */
  admitEvent(bundle: string): RuntimeHooks['event'];
  /** Bundles with such hooks. */
  admitting(): readonly string[];
}
