import type { Retention } from '../../engine/background/delete-idle.ts';
import { type AgentPrograms, toAgentPrograms } from './agents/agent-programs.ts';
import type { Descriptors } from './descriptors.ts';
import { type MemoryConfig, toMemory, toRetention } from './memory-settings.ts';
import { type TelegramConfig, toTelegram } from './surface-settings.ts';
import { type DispatchConfig, toDispatch, toWeb, type WebConfig } from './web-settings.ts';

/** Services of others that this installation uses. */
export type Connections = {
  readonly telegram: TelegramConfig | undefined;
  readonly web: WebConfig;
  readonly dispatch: DispatchConfig;
  readonly memory: MemoryConfig;
  /** Undefined: conversations are kept. */
  readonly retention: Retention | undefined;
  /** Undefined: no agent programs are installed. */
  readonly agentPrograms: AgentPrograms | undefined;
  /** For git repositories over https. */
  readonly gitToken: string | undefined;
};

type Sources = {
  readonly descriptors: Descriptors;
  readonly problems: string[];
  /** Value of a secret of the platform, else of the environment. */
  secret(name: string): string | undefined;
};

export function toConnections({ descriptors, problems, secret }: Sources): Connections {
  const { gateway, assembly, bundles, place } = descriptors;
  return {
    telegram: toTelegram(gateway.surfaces?.telegram, {
      token: secret('TELEGRAM_BOT_TOKEN'),
      place: place('gateway.yaml', ['surfaces', 'telegram']),
      problems,
    }),
    web: toWeb(assembly.web, {
      secret,
      place: place('assembly.yaml', ['web', 'search']),
      problems,
    }),
    dispatch: toDispatch(gateway.dispatch),
    memory: toMemory(assembly.memory, secret),
    retention: toRetention(assembly.retention, bundles?.bundles ?? []),
    agentPrograms: toAgentPrograms(assembly.agents, {
      secret,
      place: place('assembly.yaml', ['agents', 'programs']),
      problems,
    }),
    gitToken: secret('TIMELOOM_GIT_TOKEN'),
  };
}
