/** Every bound of the engine, with its unit. */
export const leaseTtlMs = 10_000;
export const leaseRenewMs = 3_000;
/** When a renewal that failed is tried again. */
export const claimRetryMs = 500;
/** No effect starts and nothing is appended this close to the lease's end. */
export const leaseMarginMs = 1_500;
export const sweepEveryMs = 1_000;
export const sweepBatchMax = 16;
export const turnsPerWorkerMax = 10;
/** Blocks read from the store at once. */
export const readPageMax = 1_000;
/** A turn that was taken over this often without a closed round is closed with an error. */
export const takeoversMax = 3;
/** Conversations of which a worker remembers how far their observers have seen them. */
export const observedConversationsMax = 10_000;
/** Steps of one visit to a conversation; a livelock would be a defect, and this ends it. */
export const stepsPerSessionMax = 2_000;

/** Files of earlier turns that ANNOUNCE still names: what was pulled, what the user sent, and others. */
export const pulledFilesInWorkspace = 12;
export const sentFilesInWorkspace = 4;
export const earlierFilesInWorkspace = 8;

export const outputTokensReserved = 8_000;
/** What one answer of a model may take that a tool or the runtime asks. */
export const outputTokensInternal = 3_000;
export const finalizeRoundsMax = 2;
/** Identical calls in a row after which the model is told, and after which its turn only finishes. */
export const identicalCallsNoticed = 3;
export const identicalCallsMax = 5;
/** What the model call of a round that finishes a turn may take, whatever time the turn has left. */
export const finalizeMsMax = 60_000;
/** A model that has begun and then says nothing for so long has broken off. */
export const modelSilenceMsMax = 120_000;
/** How often in a row a reply that broke off is asked for again, and the pause before, doubled each time. */
export const modelRetriesMax = 2;
export const modelRetryMs = 1_000;
export const temperature = 0.6;
/** Characters of one generation; more is cut off with a notice. */
export const generationCharsMax = 400_000;

/** Generations in a row without a usable decision that a turn survives; the next one is degraded or fails, by policy. */
export const violationsInRowMax = 2;
/** Answers that guards refuse before the turn fails; the model is asked again after each of them. */
export const completionRefusalsMax = 2;
/** Of a refused answer, told to the model. */
export const refusedAnswerChars = 300;
export const rawAnswerCharsMax = 6_000;
/** Calls named in what stands for the answer of a turn without one: the newest. */
export const stepsAnswerMax = 40;
export const titleCharsMax = 80;
export const closeDeadlineMs = 5_000;
/** What a stopping worker may take to give one conversation back. */
export const handOverDeadlineMs = 2_000;
export const systemTokensMax = 2_500;
/** What ANNOUNCE takes of a prompt, by and large. */
export const announceTokensReserved = 1_000;
/** A summary that takes longer is made without the model. */
export const summaryDeadlineMs = 60_000;
/** A model that writes more than it was told is not stopped at once, but cut afterwards: times what it was told. */
export const summaryOutputSlack = 2;
/** Tokens a summary model is given to read, whatever its window. */
export const summaryBriefTokensMax = 120_000;
/** Paths that a summary may name. */
export const refsCheckedMax = 100;
/** Characters of an input that a person changed, as the model is told it. */
export const changedInputCharsMax = 2_000;

/** Answers of an internal call that are read before it is given up. */
export const internalAttemptsMax = 3;

/** How often a parked turn looks itself whether an agent it waits for has ended: a wake may be lost. The longer it waits, the rarer. */
export const delegationPollMs = 5_000;
export const delegationPollMsMax = 30_000;
/** Characters of what was delegated that its turn is shown with. */
export const delegatedTextCharsMax = 4_000;

/** Runs of jobs that one process has under way. */
export const jobsPerWorkerMax = 8;
/** How often it is looked for errands that are due; a tick is at most that late. */
export const jobPollMs = 1_000;
/** For how long a job is one process's to run, how often that is renewed, and what is left of it when a run is stopped. */
export const jobLeaseTtlMs = 15_000;
export const jobRenewMs = 5_000;
export const jobLeaseMarginMs = 2_000;
/** What an errand waits after it failed, doubled with each further failure. */
export const jobRetryMs = 2_000;
export const jobRetryMsMax = 3_600_000;
/** What a run may take to end once it was stopped, before its worker tells of it, or goes without it. */
export const jobStopMsMax = 5_000;
/** Errands of one bundle that wait; one more is refused. */
export const jobQueueMax = 10_000;
/** Failures of one job that are kept: the newest. */
export const jobFailuresKeptMax = 100;
/** How long a key is known after its errand is done. */
export const jobKeyKeptMs = 7 * 86_400_000;

/** Snippets that are embedded at once, characters of one, and for how long they are one process's to embed. */
export const embedBatchSnippets = 64;
export const embedTextCharsMax = 6_000;
export const embedClaimMs = 120_000;
/** How often somebody looks for what is erased, how much of it is taken at once, and for how long. */
export const erasuresPollMs = 1_000;
export const erasuresMax = 16;
export const blobsRemovedMax = 64;
export const erasureClaimMs = 60_000;
/** After so long nobody who worked on it when it was erased does so still: then it is looked at once more. */
export const erasureSettleMs = leaseTtlMs + 5_000;
/** Bytes are put before a block names them: an upload waits up to an hour for its message. Younger ones are never removed. */
export const blobGraceMs = 2 * 3_600_000;
/** When a blob that was too young to be removed is looked at again. */
export const blobAgainMs = 10 * 60_000;
/** For so long a text that was put is taken to be there; it must end well before its blob may be removed. */
export const keptTextMs = blobGraceMs / 4;

/** How long the embeddings wait when there was nothing to do; after a failure, doubled for each further one. */
export const embedPollMs = 2_000;
export const embedRetryMs = 2_000;
export const embedRetryMsMax = 300_000;
