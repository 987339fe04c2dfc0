import type { ActionIdentity } from '../../../channels/decision/action-identity.ts';
import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';

/**
 * Lets tools prepare for calls while the model is still writing them. A valid call takes what was prepared for it, or
 * lets it expire; everything else is released here.
 */
export class Prewarm {
  readonly #agent: Pick<AgentSettings, 'tools' | 'exec'>;
  readonly #seen: Pick<CallContext, 'view' | 'turn'>;
  readonly #prepared: Disposable[] = [];

  constructor(
    agent: Pick<AgentSettings, 'tools' | 'exec'>,
    seen: Pick<CallContext, 'view' | 'turn'>,
  ) {
    this.#agent = agent;
    this.#seen = seen;
  }

  /** A decision has named the tool it calls. */
  identified(identity: ActionIdentity): void {
    if (identity.action !== 'call_tool') return;
    const { tools, exec } = this.#agent;
    const tool = tools.find(({ spec }) => spec.id === identity.tool);
    const prepared = tool?.prepare?.({ tools, ...exec }, this.#seen);
    if (prepared) this.#prepared.push(prepared);
  }

  /** The reply was stopped or failed: none of its calls will run. */
  cancel(): void {
    for (const prepared of this.#prepared.splice(0)) prepared[Symbol.dispose]();
  }
}
