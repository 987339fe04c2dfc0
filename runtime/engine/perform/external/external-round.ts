import { Fault } from '../../../base/fault.ts';
import { isAborted, Work } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { RoundPlace } from '../../live/live-stream.ts';
import type { ExternalAgent, ExternalEvent, ExternalPrompt } from '../../ports/external-agent.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import { endedRound, stoppedRound } from './end-round.ts';
import { ExternalCalls } from './external-calls.ts';
import { ExternalPermissions } from './external-permissions.ts';
import { ExternalTexts } from './external-texts.ts';
import { ExternalWatch } from './external-watch.ts';
import { externalOutputBytesMax } from './limits.ts';
import { planNotes } from './plan-notes.ts';
import { workspaceDrafts } from './workspace-drafts.ts';

type RoundParts = {
  readonly place: RoundPlace;
  /** A steer stops it, and so do the limits of the program. */
  readonly work: Work;
};

/** Writes one round of an agent program to the log while the program works. */
export class ExternalRound {
  readonly #session: WorkerSession;
  readonly #parts: RoundParts;
  readonly #texts: ExternalTexts;
  readonly #calls: ExternalCalls;
  readonly #permissions: ExternalPermissions;
  readonly #watch: ExternalWatch;
  readonly #startedMs: number;
  #ending: Extract<ExternalEvent, { kind: 'ended' }> | undefined;
  #bytes = 0;

  constructor(session: WorkerSession, parts: RoundParts) {
    this.#session = session;
    this.#parts = parts;
    this.#texts = new ExternalTexts(session.publisher, parts.place);
    this.#calls = new ExternalCalls(session);
    this.#permissions = new ExternalPermissions(session);
    this.#watch = new ExternalWatch(session, this.#permissions, parts.work);
    this.#startedMs = session.engine.clock.monotonic();
  }

  /** Faults `AGENT_FAILED`, `AGENT_LIMIT`: what was written so far stays on the log. */
  async run(program: ExternalAgent, prompt: ExternalPrompt): Promise<void> {
    const { signal } = this.#parts.work;
    using beside = new Work(this.#session.conversation.signal);
    const tasks = [this.#watch.run(beside.signal), this.#followDecisions(beside.signal)];
    try {
      for await (const event of program.prompt(prompt, { signal })) {
        if (this.#watch.cause === 'hold') break;
        this.#watch.noteActivity();
        await this.#take(event);
      }
    } finally {
      beside.stop('deadline');
      await Promise.all(tasks);
    }
    await this.#end(program);
  }

  async #take(event: ExternalEvent): Promise<void> {
    this.#bytes += sizeOf(event);
    if (this.#bytes > externalOutputBytesMax || this.#calls.isFull)
      throw new Fault('AGENT_LIMIT', { because: 'it wrote more than one round may contain' });
    if (event.kind === 'ended') this.#ending = event;
    const drafts = await this.#draftsOf(event);
    if (drafts.length > 0) await this.#session.conversation.append(drafts);
    await this.#permissions.settle();
  }

  async #draftsOf(event: ExternalEvent): Promise<readonly Draft[]> {
    switch (event.kind) {
      case 'thought':
      case 'message':
        return this.#texts.write(event.kind, event.text);
      case 'call': {
        if (!event.isStarted && Object.keys(event.call.input).length === 0) return [];
        const { drafts } = this.#calls.record(event.call);
        return drafts.length > 0 ? [...this.#texts.end(), ...drafts] : [];
      }
      case 'permission': {
        const { known, drafts } = this.#calls.record(event.call);
        return [...this.#texts.end(), ...drafts, ...this.#permissions.ask(event, known)];
      }
      case 'result': {
        const withdrawn = this.#permissions.withdraw(this.#calls.idOf(event.call));
        return [...this.#texts.end(), ...withdrawn, ...(await this.#calls.result(event))];
      }
      case 'plan':
        return [...this.#texts.end(), ...planNotes(this.#session.turn, event.steps)];
      case 'ended':
        return [];
    }
  }

  async #followDecisions(signal: AbortSignal): Promise<void> {
    const { conversation } = this.#session;
    while (!isAborted(signal)) {
      await growth(conversation, signal);
      if (isAborted(signal)) return;
      await conversation.refresh();
      await this.#permissions.settle();
    }
  }

  async #end(program: ExternalAgent): Promise<void> {
    const { conversation, engine } = this.#session;
    const { signal } = this.#parts.work;
    conversation.signal.throwIfAborted();
    if (this.#watch.cause === 'silence')
      throw new Fault('AGENT_FAILED', { because: 'it sent nothing for too long' });
    const files = await workspaceDrafts(this.#session, program);
    if (this.#watch.cause === 'hold') {
      await this.#session[Symbol.asyncDispose]();
      await conversation.append([...this.#texts.end({ isInterrupted: true }), ...files.drafts]);
    } else {
      const isStopped = isSteered(signal) || this.#watch.cause === 'time' || !this.#ending;
      const ms = Math.round(engine.clock.monotonic() - this.#startedMs);
      const ending = { texts: this.#texts, ending: this.#ending, about: program.about, ms };
      const drafts = isStopped
        ? stoppedRound(this.#session, { ...ending, files: files.drafts })
        : endedRound(this.#session, { ...ending, files: files.drafts });
      await conversation.append(drafts);
    }
    await files.confirm();
  }
}

/** Resolves when the log has grown, or when the signal fires. */
function growth(conversation: WorkerSession['conversation'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      listening[Symbol.dispose]();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const listening = conversation.onGrowth(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

function sizeOf(event: ExternalEvent): number {
  return event.kind === 'ended' ? 0 : JSON.stringify(event).length;
}
