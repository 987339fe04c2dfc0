import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { VisibleTools } from '../../../timeline/view.ts';
import { selectedToolsMax } from '../../../tools/limits.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import { describeTools } from '../../../tools/visibility/describe-tools.ts';
import { divideTools, selectable } from '../../../tools/visibility/visible-tools.ts';
import { protocolOf } from '../../agent/prompt-inputs.ts';
import { agentKey } from '../../agent/visible-agent.ts';
import type { WorkerSession } from '../../session/session.ts';
import { askSelection, type SelectionAnswer } from './ask-selection.ts';
import { selectionPrompt } from './selection-prompt.ts';

/**
 * Chooses the tools that the prompts of this turn show. Without a usable choice all tools are shown: that only costs room.
 *
 * The question is on the log before it is asked, so that nothing which its model reads can be taken back, and so that a
 * worker that takes over does not ask again.
 */
export async function selectTools(session: WorkerSession): Promise<void> {
  const { turn, conversation } = session;
  const { view } = conversation;
  const { whole: agent } = session.agent;
  const state = view.visible.get(agentKey(agent));
  const candidates = selectable(agent, state);
  const choosing = { agent, state, candidates };
  if (turn.consultedAsOf !== undefined) {
    const lost = { answer: [], because: 'the worker that asked was lost', usage: [] };
    return record(session, choosing, lost);
  }
  const prompt = selectionPrompt(turn, candidates);
  const data = { agent: agentKey(agent), as_of: view.head, of: candidates.length };
  const asked: Draft = { type: 'tools.selection', turn: turn.id, author: 'system', data };
  // Events that arrived or were taken back since then belong in the question, or out of it: plan again. The prompt is
  // made before: an event that arrives right after the append can still be taken back.
  const { status } = await conversation.append([asked], { expectHead: view.head });
  if (status === 'moved') return;
  await record(session, choosing, await askSelection(session, prompt));
}

type Choosing = {
  readonly agent: AgentSettings;
  readonly state: VisibleTools | undefined;
  readonly candidates: readonly Tool[];
};

async function record(
  { turn, conversation, engine }: WorkerSession,
  { agent, state, candidates }: Choosing,
  { answer, because, usage }: SelectionAnswer,
): Promise<void> {
  const all = candidates.map(({ spec }) => spec.id);
  const chosen = [...new Set(answer)].filter((id) => all.includes(id)).slice(0, selectedToolsMax);
  const isChosen = chosen.length > 0;
  const tools = isChosen ? chosen : all;
  const selection = { turn: turn.id, tools };
  const shown = divideTools(agent, {
    state: { groups: [], described: [], ...state, selection },
    turn: turn.id,
  });
  const isOffered = protocolOf(engine, agent, conversation.view).protocol === 'native-tools';
  const { text, described } = describeTools(isOffered ? [] : undescribed(shown.visible, state));
  const data = {
    ...{ agent: agentKey(agent), mode: 'set', tools, of: all.length, described: [...described] },
    reason: isChosen ? 'selection' : 'selection_failed',
    ...(isChosen ? {} : { because: because ?? 'the answer names none of these tools' }),
  };
  const block: Draft = {
    ...{ type: 'tools.visibility', turn: turn.id, author: 'system', data },
    ...(text === '' ? {} : { text }),
  };
  await conversation.append([...usage, block]);
}

/** Undefined state: the system text will describe the tools. */
function undescribed(tools: readonly Tool[], state: VisibleTools | undefined): readonly Tool[] {
  const { system, described = [] } = state ?? {};
  if (!system) return [];
  return tools.filter(({ spec: { id } }) => !system.includes(id) && !described.includes(id));
}
