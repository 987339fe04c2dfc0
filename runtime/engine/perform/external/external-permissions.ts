import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { closeApproval } from '../../../timeline/close/close-turn.ts';
import { approvalWait } from '../../../timeline/close/waits.ts';
import type { CallId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { CallView } from '../../../timeline/view.ts';
import { approvalTimeoutMs } from '../../../tools/limits.ts';
import { decidedOutcome } from '../../plan/plan-question.ts';
import type { ExternalEvent } from '../../ports/external-agent.ts';
import type { WorkerSession } from '../../session/session.ts';
import { externalPreviewChars } from './limits.ts';
import { UndeliveredDecisions } from './undelivered-decisions.ts';

type Permission = Extract<ExternalEvent, { kind: 'permission' }>;
type Question = { readonly permission: Permission; readonly sinceMs: number };
type CallOnLog = { readonly id: CallId; readonly tool: string; readonly input: JsonObject };

/** The questions of a running program, each an approval on the log. Its answers come from the log alone. */
export class ExternalPermissions {
  readonly #session: WorkerSession;
  readonly #undelivered: UndeliveredDecisions;
  readonly #open = new Map<CallId, Question>();

  constructor(session: WorkerSession) {
    this.#session = session;
    this.#undelivered = new UndeliveredDecisions(session.turn);
  }

  /** How long the oldest open question has waited; 0: none is open. */
  get waitedMs(): number {
    const since = [...this.#open.values()].map(({ sinceMs }) => sinceMs);
    if (since.length === 0) return 0;
    return this.#session.engine.clock.monotonic() - Math.min(...since);
  }

  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** The blocks of a question; none if it was answered before the program was started again. */
  ask(permission: Permission, { id, tool, input }: CallOnLog): readonly Draft[] {
    const { turn, engine } = this.#session;
    const decided = this.#undelivered.take(tool, input);
    if (decided !== undefined) {
      permission.answer(decided ? 'allow_once' : 'reject');
      const text = decided ? 'Allowed before.' : 'Refused before.';
      return [
        { type: 'react.tool.progress', turn: turn.id, author: 'system', call: id, text, data: {} },
      ];
    }
    this.#open.set(id, { permission, sinceMs: engine.clock.monotonic() });
    const detail = permission.parts
      .map((part) => (part.type === 'diff' ? part.diff : part.type === 'text' ? part.text : ''))
      .join('\n')
      .slice(0, externalPreviewChars)
      .toWellFormed();
    return [
      {
        type: 'approval.request',
        turn: turn.id,
        author: 'system',
        call: id,
        path: paths.approval(turn.id, 'request', id),
        data: {
          ...{ request: id, call: id, tool, title: permission.call.title, input },
          ...(detail === '' ? {} : { detail }),
          remember: permission.mayRemember ? 'conversation' : 'once',
          deadline: this.#session.deadlineIn(approvalTimeoutMs),
        },
      },
    ];
  }

  /** Ends the question of a call that has ended without an answer. */
  withdraw(id: CallId | undefined): readonly Draft[] {
    if (id === undefined || !this.#open.delete(id)) return [];
    const call = this.#callOf(id);
    return call ? closeApproval(call, { outcome: 'interrupted' }) : [];
  }

  /** Passes on the decisions that are on the log by now. */
  async settle(): Promise<void> {
    for (const [id, { permission }] of [...this.#open]) {
      const decided = this.#decided(id);
      if (!decided) continue;
      this.#open.delete(id);
      const { call, outcome, choice } = decided;
      await this.#session.conversation.append(closeApproval(call, { outcome }));
      permission.answer(choice);
    }
  }

  #decided(id: CallId) {
    const call = this.#callOf(id);
    const wait = call?.approval && approvalWait(call.approval);
    const outcome = wait && decidedOutcome(wait, { now: this.#session.engine.clock.now() });
    if (!call || !outcome) return undefined;
    const { remember = 'once' } = (wait.answer && dataOf('approval.decision', wait.answer)) ?? {};
    const allowed = remember === 'once' ? 'allow_once' : 'allow_always';
    return { call, outcome, choice: outcome === 'allowed' ? allowed : 'reject' } as const;
  }

  #callOf(id: CallId): CallView | undefined {
    const round = this.#session.turn.rounds.at(-1);
    return round?.calls.find(({ call, result }) => call === id && !result);
  }
}
