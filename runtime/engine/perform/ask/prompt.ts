import type { JsonObject } from '../../../base/json.ts';
import { formOfRound } from '../../../timeline/render/form.ts';
import { render } from '../../../timeline/render/render.ts';
import { policyText } from '../../agent/policy-text.ts';
import { hashPrompt } from '../../agent/prompt-hash.ts';
import { inputsOf, protocolOf, systemOf } from '../../agent/prompt-inputs.ts';
import { newlyShown } from '../../agent/visible-agent.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import type { ModelRequest } from '../../ports/model.ts';
import type { WorkerSession } from '../../session/session.ts';
import { announcement, type RoundHints } from './announcement.ts';
import { besideText } from './beside-text.ts';
import { keepTexts } from './keep-texts.ts';
import { type PromptContent, promptContent } from './prompt-content.ts';

/** All inputs of one model call besides the log, and the record of them. */
export type Prompt = {
  readonly system: string;
  /** The prompt after the system text, in either form. */
  readonly content: PromptContent;
  readonly protocol: NonNullable<ModelRequest['protocol']>;
  readonly offer?: NonNullable<ModelRequest['offer']>;
  readonly format?: NonNullable<ModelRequest['format']>;
  /** The head that was rendered. */
  readonly asOf: WorkerSession['conversation']['view']['head'];
  readonly now: string;
  readonly tokens: number;
  /** For `round.open`: renderer version and the hashes of the texts that are not on the log. */
  readonly record: JsonObject;
};

export async function buildPrompt(
  session: WorkerSession,
  step: AskStep,
  hints: RoundHints,
): Promise<Prompt> {
  const { engine, agent } = session;
  const { view, lease, signal } = session.conversation;
  const { tenant } = lease.row;
  const choice = protocolOf(engine, agent, view);
  const { protocol } = choice;
  const shown = session.agentInPrompt(protocol);
  const { text: system, tokens } = systemOf(shown, protocol);
  const tail = announcement(session, step, { choice, hints });
  const inputs = inputsOf(engine, shown, choice);
  const rendered = render(view, { asOf: view.head, announce: tail, ...formOfRound(inputs) });
  const isForced = engine.model(agent, agent.decides).abilities?.forcedChoice === true;
  const forcesOutput = step.mustComplete === true && isForced;
  const beside = besideText(shown, { ...step, forcesOutput }, protocol);
  const policy = policyText(agent.whole, { protocol, names: beside.names });
  const described = newlyShown(agent.whole, shown, view);
  const hashes = await keepTexts(session, { system, announce: tail, policy, ...beside.texts });
  return {
    system,
    protocol,
    ...beside.request,
    content: await promptContent(rendered.parts, {
      as: formOfRound(inputs).as,
      names: beside.names,
      read: ({ hash }) => engine.blobs.get(tenant, hash, { signal }),
    }),
    asOf: view.head,
    now: session.now,
    tokens: rendered.tokens + tokens,
    record: {
      ...inputs,
      ...beside.record,
      hashes,
      prompt: hashPrompt({ system, parts: rendered.parts, beside: beside.hashed }),
      tokens: { system: tokens, announce: rendered.announced },
      engine: engine.worker,
      ...(described ? { shown_tools: { ...described, tools: [...described.tools] } } : {}),
    },
  };
}
