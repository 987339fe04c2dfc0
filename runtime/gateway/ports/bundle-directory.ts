import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type {
  BundleEndpoint,
  BundleOperation,
  BundleWidget,
  EventKind,
  LiveProps,
  UserProps,
} from '../../sdk/contract/runtime-bundle.ts';
import type { AdmitEvent } from '../../sdk/contract/runtime-hooks.ts';
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
  /** What the page offers to ask in a new conversation, by agent. */
  readonly firstMessages?: Readonly<Record<string, readonly string[]>>;
  /** The models that users may choose for a turn, by agent. */
  readonly modelChoices?: Readonly<Record<string, readonly string[]>>;
};

/** A problem of a bundle, as `timeloom bundle check` reports it. `warning`: the bundle can still be served. */
export type BundleFinding = {
  readonly level: 'error' | 'warning';
  readonly what: string;
  /** `file:line` in the folder of the bundle. */
  readonly places: readonly string[];
  readonly says: string;
  readonly fix?: string | undefined;
};

/** Checks the folder of a bundle as it is now. Refusal `not_found`: the server does not know its folder. */
export type CheckBundle = (
  bundle: string,
  options: { readonly signal: AbortSignal },
) => Promise<readonly BundleFinding[]>;

/** Whether an agent runs programs, whether it searches the web, and which models its users may choose. */
export type AgentAbilities = {
  readonly exec: boolean;
  readonly webSearch: boolean;
  readonly models?: readonly string[];
};

/** What the gateway needs to know about bundles. Answers may change while it runs, because bundles can be reloaded. */
export interface BundleDirectory {
  /** The recipient of messages that do not name a bundle. */
  default(): { readonly bundle: string; readonly agent: string };
  /** The agent named `agent`, or the bundle's first. Undefined: the bundle or agent does not exist. */
  agent(bundle: string, agent?: string): string | undefined;
  /** What messages to an agent may ask for. Undefined: the bundle or agent does not exist. */
  allows(bundle: string, agent: string): AgentAbilities | undefined;
  /** The agents of a bundle, as the engine runs them. Empty: the bundle does not exist. */
  settings(bundle: string): readonly AgentSettings[];
  kind(bundle: string, kind: string): DeclaredKind | undefined;
  bundles(): readonly ServedBundle[];
  widgets(bundle: string): readonly ServedWidget[];
  operation(bundle: string, id: string): BundleOperation | undefined;
  operations(bundle: string): readonly BundleOperation[];
  endpoint(bundle: string, id: string): BundleEndpoint | undefined;
  /**
   * The props that an operator may change while the bundle runs. Undefined: the bundle does not exist, or it has no
   * props.
   */
  props(bundle: string): LiveProps | undefined;
  /** The props that each user sets. Undefined: the bundle does not exist. */
  userProps(bundle: string): UserProps | undefined;
  /** Secrets that each user sets. Undefined: the bundle does not exist. */
  userSecrets(bundle: string): readonly UserSecretEntry[] | undefined;
  /** The event hooks of a bundle, which run before an event is accepted. Undefined: it has none. */
  admitEvent(bundle: string): AdmitEvent | undefined;
  /** The bundles with event hooks. */
  admitting(): readonly string[];
}
