import type { Ids } from '../../base/ids.ts';
import type { OutputSchema, Policies } from '../../sdk/contract/agent-settings.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';

/** What is needed to read a reply: the turn, the agent's rules, and the source of new ids. */
export type ReplyContext = {
  readonly turn: TurnView;
  readonly agent: {
    readonly tools: readonly { readonly spec: Pick<ToolSpec, 'id' | 'language'> }[];
    readonly output?: Pick<OutputSchema, 'parse'>;
    /** A log of a version in which a text could replace a structured output. */
    readonly degradesOutput?: boolean;
    readonly policies: Pick<Policies, 'malformed' | 'prose'>;
  };
  readonly engine: { readonly ids: Pick<Ids, 'next'> };
  readonly ledger: { nextNote(): number };
};
