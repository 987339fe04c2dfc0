import type { Promises } from './promises.ts';

export const turns: Promises = {
  'i2.one-writer': 'A stale owner cannot write, renew or release: every write carries the fence.',
  'i2.no-late-effects':
    'An owner starts no effect once its lease may have ended, whatever the store still thinks.',
  'claim.hangs':
    'Work on a lease or a job stops before its claim may end, also when the store never answers a renewal.',
  'i3.durable-first': 'An event that was acknowledged as accepted is still there after a kill -9.',
  'i3.between-turns':
    'An event that arrives between two turns is read in the next one, also if it does not make the agent act.',
  'i3.gate': 'A turn does not close while a reactive event waits that it has not seen.',
  'i3.effects-honest':
    'An effect nobody can repeat starts at most once, and is reported in doubt if its outcome is unknown.',
  'i4.pairs':
    'Every tool call has exactly one result on every path, and every turn exactly one end.',
  'delegate.answers':
    'A tool may be a sub-agent: it works in a conversation of its own, and its answer, sources and cost are those of the call.',
  'delegate.typed': 'A delegating tool with an output returns that of its agent, checked.',
  'delegate.fails': 'An agent that fails, is stopped or has nothing left is a result with a code.',
  'delegate.depth':
    'What was delegated is not delegated further than its caller allows, and the refusal says so.',
  'delegate.budget':
    'A sub-agent has no more rounds than its tool says, and no more of a budget than the turn that asks has left.',
  'delegate.stop': 'Who stops a turn stops the agents that work for it.',
  'delegate.crash':
    'Whenever a process dies, a delegated call has one conversation and one result.',
  'delegate.approvals':
    'What an agent asks a person while it works for another one is asked in the conversation of its caller, once, and the decision reaches it.',
  'delegate.bundles':
    'An agent works for agents of another bundle if both allow it, and the refusal says what is missing.',
  'delegate.family':
    'A client follows a conversation and all agents that work for it on one stream.',
  'plan.runs':
    'Agents work on the steps of a plan side by side, as soon as the steps that they need have ended, and read their results.',
  'plan.opt-in':
    'A model reads about plans only if its agent has them on and a level of agents is left below it.',
  'plan.refused':
    'A plan with a cycle, an unknown need, agent or model, or beyond a limit is refused with a code, and nothing starts.',
  'plan.fails': 'A step whose need failed does not start, and the other steps go on.',
  'plan.verified':
    'A second model call judges whether the results of a plan are enough, and a further plan builds on the steps that are done.',
  'plan.replans': 'A turn runs one plan and at most three more.',
  'plan.pruned':
    'The caller of a plan reads the beginning of each answer, and the path of the whole answer.',
  'plan.budget':
    'Steps share what is left of the budget of the turn, and the turn itself keeps a share.',
  'plan.time': 'A step ends at its time limit, and the plan goes on.',
  'plan.stop': 'Stopping a turn stops the agents of all its steps, and what had ended stands.',
  'plan.hint': 'A step works with the model that its hint names.',
  'plan.depth': 'At most as many levels of agents work below an agent as its setting says.',
  'plan.crash':
    'Whenever processes die, every step of a plan starts once, has one conversation and one result.',
  'delegate.load':
    'A tool that delegates to nobody stops the load, with the nearest agent there is.',
  'engine.instruction':
    'The system instruction is one text with a version and at most 2,500 tokens; with the tools of the demo it is at most 4,000.',
  'engine.budget':
    'A turn has 15 rounds by default, and a spent budget ends in one finalising call.',
  'engine.violations':
    'The model reads each violation of the protocol in full, and violations are counted.',
  'engine.degraded':
    'After too many violations the last readable answer or plain text becomes the answer, marked degraded.',
  'citations.files':
    'In a page or Markdown file that an agent writes for people, citations are links; other files keep them.',
  'canvas.citations':
    'Citations in the text of an HTML or Markdown canvas are links, live and later; in tags, comments and scripts they stay.',
  'canvas.checked':
    'A canvas whose name, mime or title is not valid is neither shown nor kept, and the model or tool reads why.',
  'reply.in-a-row':
    'Only replies in a row without a usable decision end a turn; a usable reply between them starts the count again.',
  'reply.round-once':
    'ANNOUNCE ends with the form of the reply and never shows two rounds under one number.',
  'reply.any-cut': 'A reply reads the same however it was cut on its way.',
  'reply.bare-decision':
    'A decision without its tags, bare or in a fence, is carried out with a notice.',
  'reply.followups':
    'Suggested questions that are not text are left out with a notice, and the answer is kept.',
  'reply.thinking-kept':
    'What a model wrote as thinking is never its answer, not even where it wrote nothing else.',
  'reply.quotes':
    'An unescaped quote in words for the user is text; in what a tool gets it is never guessed.',
  'reply.code-in-params':
    'A program in params.code is run where no code channel follows, with a notice.',
  'reply.think': 'What stands in <think> is thinking: shown as such, never as an answer.',
  'reply.prose':
    'Plain text streams and is accepted as the answer at the second try in a row or in the last round, or as its agent says.',
  'reply.no-machinery':
    'Decision JSON, <think>, tool calls of other protocols and imitations of the log are never shown as an answer.',
  'reply.one-notice':
    'A wrong reply gives one notice a cause, which quotes what was wrong and shows the right form.',
  'reply.stopped': 'A generation is stopped as soon as what is still to come cannot be used.',
  'reply.output-held':
    'With an output schema the answer is shown once its output fits; an unfit one goes back to the model.',
  'reply.output-unfit':
    'A turn whose output does not fit what its client wants resolves with an error.',
  'engine.followup': 'A followup is folded at the next decision and cancels nothing.',
  'engine.steer': 'A steer stops the running generation, and the turn goes on with it.',
  'streams.end':
    'Every stream that a client saw begin is completed, replaced by its block or reset, whatever happened to its owners.',
  'steer.keeps-shown':
    'What people saw of a reply that was cut off is on the log, and so are its calls that did not run.',
  'steer.not-executed':
    'A call that had not begun when a steer or a stop came is reported as not executed, repeatable and never in doubt.',
  'steer.answered-first':
    'What a client, a person or another agent answered before a steer is kept; the order of the log decides.',
  'steer.finalize':
    'A steer leaves two rounds with the usual output limit to finish in, and the model reads that.',
  'steer.work':
    'After a steer the model continues with all tools and the rounds that were left once it has planned the work.',
  'steer.redirect':
    'With the policy redirect a steer keeps the rounds that were left; an empty one stops.',
  'steer.files':
    'The model reads which files the user already has: in the turn that delivered them, in later turns and after a compaction.',
  'steer.index': 'The index of a turn says that it was steered, and which rounds were interrupted.',
  'finalize.control-only':
    'In the phase finalize only control tools run; a call of any other tool is refused with a code.',
  'finalize.text':
    'A turn that ends without an answer says which calls it made and what came of each.',
  'finalize.marked': 'An answer that was given because the budget was spent is marked exhausted.',
  'finalize.prose': 'In the last round, prose is taken as the answer.',
  'model.breaks':
    'A reply that breaks off in the middle is reset, paid for and asked for again with a pause, within the budget of its turn.',
  'model.silence': 'A model that has begun and falls silent is not waited for without end.',
  'model.wall':
    'No model call outlasts the time of its turn, but for a short one that finishes it.',
  'calls.repeated':
    'A model that makes the same call with the same result three times in a row reads a notice, and after five its turn only finishes.',
  'calls.failure-stops':
    'Where a failed tool ends the turn, nothing behind it in the same reply begins; its calls are recorded as not executed.',
  'multi-action.default': 'Several calls in one reply are the default only with native tools.',
  'multi-action.bundle':
    'A bundle runs all calls of a reply in order, at most eight; a call that does not run is recorded as not executed, and the model reads why.',
  'multi-action.first-only':
    'With first_only the first call of a reply runs; the others are recorded as not executed, and the model reads why.',
  'multi-action.native':
    'With native tools a call that may not run is recorded as not executed in every mode, not as a violation.',
  'multi-action.concurrency': 'At most four calls of one reply run at the same time.',
  'failure.policies':
    'After a failed call the turn goes on, fails, or asks a person, as the tool says, otherwise as the agent says.',
  'failure.escalate':
    'A person decides about a failure before the model is asked again: the turn goes on with the error, or it fails.',
  'external.hand-off':
    'With hand_off a call of an external tool closes the turn as handed off, with the call and its input, after the other calls of the reply.',
  'starters.numbers':
    'The starters small, fim, graph, engine and agentscope have the rounds and policies of the systems they are named after.',
  'message.options':
    'A message may lower the rounds of the turn that it opens and switch its programs off, never beyond what its agent allows.',
  'malformed.repairs':
    'A model repairs replies without a decision as often in a row as its agent says; then its text is the answer, marked degraded, or the turn fails.',
  'reply.full': 'A reply that reaches the longest a reply may be is cut off with a notice.',
  'engine.hand-over':
    'A worker that stops gives its turns to the next one at once, and nobody counts it as a crash.',
  'engine.append-folds':
    'A session folds what its appends reply and reads its log once; its view is the fold of the log up to its head.',
  'engine.one-owner': 'Of racing owners one works on a conversation.',
  'engine.take-over': 'A turn whose owner died is finished or closed legally by the next owner.',
  'parked.free':
    'A parked turn holds no worker, costs no time of its budget and goes on when somebody answers or it is too late.',
  'recall.unseen':
    'An event that no round has seen can be taken back: no model reads it, no search finds it, no turn stays open for it.',
  'recall.true': 'What a recall answers is true: an event that a round has seen stays.',
  'crash.kill':
    'A server killed in mid-turn and started again finishes or closes the turn legally.',
  'engine.programs-announced':
    'A model reads whether programs run here; where they do not, why, and what to do about it.',
  'budget.generate':
    'The turn pays for what a tool asks of a model, for every caller of the tool; once tokens or money are used up, it is refused.',
  'budget.side-by-side':
    'Of answers that tools ask for side by side, only one goes beyond the budget of their turn; none is refused that would have fitted.',
  'budget.cut':
    'An answer that is cut off is paid for: by what its provider said of it, else by the tokens that were seen.',
  'budget.separate':
    'What a tool asks of models is charged, refused and stopped alike wherever its code runs, and never for a call that is over.',
  'budget.taken-over': 'Who takes a turn over counts what calls that were lost had asked for.',
  'budget.tools':
    'A tool that still runs when the time of its turn is over is cut off, and none begins after that.',
  'budget.programs':
    'A program calls no tool once the tokens or money of its turn are used up, and runs no longer than its turn has time.',
  'turns.admission': 'A worker works on as many conversations at once as its operator says.',
  'answer.synthesize':
    'Where an agent says so, one more model call writes the answer; nobody sees the inline answer.',
  'answer.auto':
    'With auto, another call writes the answer only of a turn with several results and a short answer of its own.',
  'answer.record':
    'A written answer is made from a bounded record of all events, calls and results of its turn, in the language of the question.',
  'answer.failure':
    'If the answer cannot be written, the inline answer is delivered, marked as degraded.',
  'answer.events':
    'A followup or steer that arrives while the answer is written ends it, and the turn goes on with the event.',
  'answer.take-over':
    'A worker that takes a turn over while its answer is written writes it again.',
  'answer.budget':
    'Writing the answer takes no round of the budget; it is paid, and skipped once tokens, money or time are used up.',
  'answer.cut-off':
    'An answer that the output limit or the provider cut off is marked as degraded, and the model reads why.',
  'answer.any-cut': 'A written answer is read and shown alike, however its text is split.',
  'answer.hooks':
    'Rules judge the written answer, and an inline answer that is delivered instead, before it is shown.',
  'output.grace':
    'A model has five rounds in a row for an output that fits, also after its last round, then one in which it must give it.',
  'output.forced':
    'After the grace rounds the final tool is forced where the model supports it; every other model is instructed to complete.',
  'output.invalid':
    'A turn whose model never gives an output that fits fails with output_invalid; no text replaces the output.',
  'answer.verified':
    'With policies.verify an answer is checked before anybody sees it; one that lacks something is written once more, and a failed check delivers it.',
  'spending.limits':
    'An operator limits what users and the tenant spend per day and month; only those who used it up are refused.',
  'spending.shared': 'All processes of an installation count what was spent together.',
  'spending.reserved':
    'Turns side by side reserve what their answers may cost; together they exceed a limit by one answer at most.',
  'spending.turn':
    'Every model call of a turn is charged to its user and tenant; a turn without room ends as exhausted and says until when.',
  'spending.question':
    'Where operators allow it, a user who has used up a limit is asked whether to extend it; without consent the turn ends as exhausted.',
  'spending.exact':
    'Processes that reserve at the same time never exceed a limit by more than one answer, and lose no amount.',
  'spending.operations': 'What operations and jobs generate is charged to their user and tenant.',
  'spending.by-role': 'The end of a turn states its usage by model role.',
};
