import type { JsonObject } from '../../../base/json.ts';
import { formOfRound } from '../../../timeline/render/form.ts';
import { render } from '../../../timeline/render/render.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { policyText } from '../../agent/policy-text.ts';
import { hashOf, hashPrompt } from '../../agent/prompt-hash.ts';
import { inputsOf, systemOf } from '../../agent/prompt-inputs.ts';
import { newlyShown } from '../../agent/visible-agent.ts';
import { keptTextMs } from '../../limits.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import type { Engine } from '../../ports/engine.ts';
import type { WorkerSession } from '../../session/session.ts';
import { announcement } from './announcement.ts';
import { type PromptContent, promptContent } from './prompt-content.ts';

/** All inputs of one model call besides the log, and the record of them. */
export type Prompt = {
  readonly system: string;
  /** The prompt after the system text, in either form. */
  readonly content: PromptContent;
  /** The head that was rendered. */
  readonly asOf: number;
  readonly now: string;
  readonly tokens: number;
  /** For `round.open`: renderer version and the hashes of the texts that are not on the log. */
  readonly record: JsonObject;
};

export async function buildPrompt(session: WorkerSession, step: AskStep): Promise<Prompt> {
  const { engine, agent, describedAgent: described } = session;
  const { view, lease, signal } = session.conversation;
  const { tenant } = lease.row;
  const { text: system, tokens } = systemOf(described);
  const tail = announcement(session, step);
  const inputs = inputsOf(engine, described);
  const rendered = render(view, { asOf: view.head, announce: tail, ...formOfRound(inputs) });
  const policy = policyText(agent.whole);
  const shown = newlyShown(agent.whole, described, view);
  const hashes = await keepTexts(session, { system, announce: tail, policy });
  return {
    system,
    content: await promptContent(rendered.parts, {
      as: formOfRound(inputs).as,
      read: ({ hash }) => engine.blobs.get(tenant, hash, { signal }),
    }),
    asOf: view.head,
    now: session.now,
    tokens: rendered.tokens + tokens,
    record: {
      ...inputs,
      hashes,
      prompt: hashPrompt({ system, parts: rendered.parts }),
      tokens: { system: tokens, announce: countTokens(tail) },
      engine: engine.worker,
      ...(shown ? { shown_tools: { ...shown, tools: [...shown.tools] } } : {}),
    },
  };
}

/** Stored before the round that cites them, so that any past prompt can be rebuilt byte for byte. */
export async function keepTexts(
  session: WorkerSession,
  texts: Record<string, string>,
): Promise<JsonObject> {
  const kept = await Promise.all(
    Object.entries(texts).map(
      async ([name, text]) => [name, await keepText(session, text)] as const,
    ),
  );
  return Object.fromEntries(kept);
}

const recentlyKept = new WeakMap<Engine['blobs'], Map<string, number>>();
const recentlyKeptMax = 256;

/** Most rounds use the same texts; each of them is written to the store only now and then. */
async function keepText(session: WorkerSession, text: string): Promise<string> {
  const { blobs, clock } = session.engine;
  const { tenant } = session.conversation.lease.row;
  const bytes = Buffer.from(text);
  const hash = hashOf(bytes);
  const kept = recentlyKept.get(blobs) ?? new Map<string, number>();
  const sinceMs = clock.monotonic();
  if (sinceMs < (kept.get(`${tenant}/${hash}`) ?? Number.NEGATIVE_INFINITY) + keptTextMs)
    return hash;
  await blobs.put(tenant, bytes, { signal: session.conversation.signal });
  if (kept.size >= recentlyKeptMax) kept.clear();
  recentlyKept.set(blobs, kept.set(`${tenant}/${hash}`, sinceMs));
  return hash;
}
