import { agentLoop } from './agent-loop.ts';
import { agenticEndpoint } from './agentic-endpoint.ts';
import { answersAndInterrupts } from './answers-and-interrupts.ts';
import { citationsAndFeedback } from './citations-and-feedback.ts';
import type { Comparison } from './comparison.ts';
import { controlTools } from './control-tools.ts';
import { eventsOfATurn } from './events-of-a-turn.ts';
import { failuresOfANode } from './failures-of-a-node.ts';
import { filesAndAttachments } from './files-and-attachments.ts';
import { graphNode } from './graph-node.ts';
import { loopLimits } from './loop-limits.ts';
import { memorySearch } from './memory-search.ts';
import { plansOfAgents } from './plans.ts';
import { programsAndSandboxes } from './programs-and-sandboxes.ts';
import { pruningAndCompaction } from './pruning-and-compaction.ts';
import { roundsAndChannels } from './rounds-and-channels.ts';
import { structuredCalls } from './structured-calls.ts';
import { toolLoop } from './tool-loop.ts';
import { toolsOfAnAgent } from './tools-of-an-agent.ts';

/**
 * What the systems do that users come from, behaviour by behaviour in our words: shown here by a test, or different here for a
 * reason, with what users have instead. `test/architecture/compared.test.ts` fails for a row with neither.
 */
export const comparisons: readonly Comparison[] = [
  agentLoop,
  agenticEndpoint,
  answersAndInterrupts,
  citationsAndFeedback,
  controlTools,
  eventsOfATurn,
  failuresOfANode,
  filesAndAttachments,
  graphNode,
  loopLimits,
  memorySearch,
  plansOfAgents,
  programsAndSandboxes,
  pruningAndCompaction,
  roundsAndChannels,
  structuredCalls,
  toolLoop,
  toolsOfAnAgent,
];
