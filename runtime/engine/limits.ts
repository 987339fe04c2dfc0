/** Every limit of the engine, with its unit. */
export const leaseTtlMs = 10_000;
export const leaseRenewMs = 3_000;
/** Delay before a failed renewal is retried. */
export const claimRetryMs = 500;
/** No effect starts and nothing is appended this close to the end of the lease. */
export const leaseMarginMs = 1_500;
export const sweepEveryMs = 1_000;
export const sweepBatchMax = 16;
export const turnsPerWorkerMax = 10;
/** Blocks per read from the store. */
export const readPageMax = 1_000;
/** A turn that was taken over this often without a closed round is closed with an error. */
export const takeoversMax = 3;
/** Frames of live streams wait this long for others under load, and not at all while there are fewer than that in this time. */
export const tickMsMax = 33;
export const framesPerTickMin = 8;
/** For each eight more the wait is a millisecond longer. A hundred streams at 30 deltas a second then wait 11 ms. */
export const framesPerTickMs = 8;
/** Characters of a frame that is made of several deltas: what a client loses with a broken connection stays small. */
export const frameCharsMax = 200;
/** Conversations for which a worker remembers how far its observers have seen them. */
export const observedConversationsMax = 10_000;
/** Steps of one session on a conversation. A livelock would be a defect; this limit ends it. */
export const stepsPerSessionMax = 2_000;

/** Files of earlier turns that ANNOUNCE still names: pulled files, files the user sent, and others. */
export const pulledFilesInWorkspace = 12;
export const sentFilesInWorkspace = 4;
export const earlierFilesInWorkspace = 8;

export const outputTokensReserved = 8_000;
/** Output tokens of one model answer that a tool or the runtime requests. */
export const outputTokensInternal = 3_000;
export const finalizeRoundsMax = 2;
/** With `answer: auto`, another call writes the answer if the turn has this many results and its own answer is shorter. */
export const autoAnswerResultsMin = 3;
export const autoAnswerChars = 800;
/** Tokens of the record that an answer is written from, whatever the window of its model. */
export const traceTokensMax = 40_000;
/** Identical calls in a row after which the model gets a notice, and after which its turn only finishes. */
export const identicalCallsNoticed = 3;
export const identicalCallsMax = 5;
/** Time limit of the model call in a finalize round, whatever time the turn has left. */
export const finalizeMsMax = 60_000;
/** A model that has started and then sends nothing for this long has broken off. */
export const modelSilenceMsMax = 120_000;
/** Replies in a row without a usable decision that the model may repair with `malformed: degrade`. */
export const repairsDefault = 2;
/** Retries in a row after a reply that broke off, and the pause before the first one, doubled each time. */
export const modelRetriesMax = 2;
export const modelRetryMs = 1_000;
/** Calls of one reply that run at the same time. */
export const concurrentCallsMax = 4;
export const temperature = 0.6;
/** Characters of one generation; the rest is cut off with a notice. */
export const generationCharsMax = 400_000;

/** Unfit replies in a row after which the structured output of an agent is forced; without one the turn then fails. */
export const outputGraceRounds = 5;
/** Poll interval while reservations of other processes leave no room, and how long these count. */
export const spendPollMs = 500;
export const spendReservedMs = 600_000;
/** Accounts and periods that a process remembers. */
export const spendCountersMax = 10_000;
/** Answers that guards may refuse before the turn fails. The model answers again after each refusal. */
export const completionRefusalsMax = 2;
/** Characters of a refused answer that the model is shown. */
export const refusedAnswerChars = 300;
export const rawAnswerCharsMax = 6_000;
/** Calls listed in the answer of a turn that ended without one: the newest. */
export const stepsAnswerMax = 40;
export const titleCharsMax = 80;
/** Time a stopping worker may take to hand one conversation over. */
export const handOverDeadlineMs = 2_000;
export const systemTokensMax = 2_500;
/** Approximate tokens of ANNOUNCE in a prompt. */
export const announceTokensReserved = 1_000;
/** The same in a small window, and the output of one reply there. */
export const smallAnnounceTokensReserved = 500;
export const smallOutputTokensReserved = 2_000;
/** Tokens that a conversation needs at least. */
export const conversationTokensMin = 1_000;
/** Tokens of the system text of an agent with a small window, without the author's instruction and tools. */
export const smallSystemTokensMax = 2_000;
/** After this time a summary is made without the model. */
export const summaryDeadlineMs = 60_000;
/**
 * A model that writes more than requested is not stopped at once but cut afterwards: a factor on the requested
 * length.
 */
export const summaryOutputSlack = 2;
/** ANNOUNCE says how full the context is from this percentage on. */
export const contextShownPercent = 50;
/** A compaction with room for fewer tokens of a summary is made without the model. */
export const summaryTokensMin = 60;
/** Tokens that a summary takes beside its words. */
export const summaryFrameTokens = 16;
/** Tokens that a summary model reads at most, whatever its window. */
export const summaryBriefTokensMax = 120_000;
/** Paths in a summary that are checked. */
export const refsCheckedMax = 100;
/** Characters of an input edited by a person that the model is shown. */
export const changedInputCharsMax = 2_000;

/**
 * Poll interval of a parked turn that waits for a delegated agent, in case a wake is lost. Backs off up to the
 * maximum.
 */
export const delegationPollMs = 5_000;
export const delegationPollMsMax = 30_000;
/** Characters of the delegated input that are shown as the text of its turn. */
export const delegatedTextCharsMax = 4_000;

/** Attempts that one process runs at the same time. */
export const jobsPerWorkerMax = 8;
/** Interval between checks for due errands; a tick is at most this late. */
export const jobPollMs = 1_000;
/** Lease of a job in one process, how often it is renewed, and how much of it is left when a run is stopped. */
export const jobLeaseTtlMs = 15_000;
export const jobRenewMs = 5_000;
export const jobLeaseMarginMs = 2_000;
/** Delay before a failed errand is retried, doubled with each further failure. */
export const jobRetryMs = 2_000;
export const jobRetryMsMax = 3_600_000;
/** Time a stopped run may take to end before its worker logs it, or shuts down without it. */
export const jobStopMsMax = 5_000;
/** Waiting errands of one bundle; one more is refused. */
export const jobQueueMax = 10_000;
/** Stored failures of one job: the newest. */
export const jobFailuresKeptMax = 100;
/** How long an idempotency key is kept after its errand is done. */
export const jobKeyKeptMs = 7 * 86_400_000;

/** Snippets per embedding batch, characters of one snippet, and the claim time of a batch. */
export const embedBatchSnippets = 64;
export const embedTextCharsMax = 6_000;
export const embedClaimMs = 120_000;
/** Interval between checks for erased data, the batch size, and the claim time of a batch. */
export const erasuresPollMs = 1_000;
export const erasuresMax = 16;
export const blobsRemovedMax = 64;
export const erasureClaimMs = 60_000;
/** How long a request to erase a user waits for the end, and the conversations that are read at once. */
export const userErasureWaitMs = 10_000;
export const userConversationsPageMax = 100;
/**
 * After this time no worker that had the conversation when it was erased can still work on it; it is then checked
 * once more.
 */
export const erasureSettleMs = leaseTtlMs + 5_000;
/**
 * Bytes are stored before a block names them: an upload waits up to an hour for its message. Younger blobs are never
 * removed.
 */
export const blobGraceMs = 2 * 3_600_000;
/**
 * Age at which a blob that no conversation refers to is removed. Longer than any wait between a put and its block: an upload waits an
 * hour for its message, and a call a day for an approval.
 */
export const orphanBlobMs = 48 * 3_600_000;
/** Blobs in one page of the search for them, how long one run searches before its last page, and how often a search begins. */
export const orphanPageMax = 500;
export const orphanSearchMsMax = 1_200_000;
export const orphanRunMsMax = 1_800_000;
export const orphanSearchEveryMs = 24 * 3_600_000;
/** Delay before a blob that was too young to be removed is checked again. */
export const blobAgainMs = 10 * 60_000;
/** How long a stored text is assumed to exist. Must end well before its blob may be removed. */
export const keptTextMs = blobGraceMs / 4;

/**
 * Poll interval of the embedder when it is idle, and the retry delay after a failure, doubled with each further one.
 */
export const embedPollMs = 2_000;
export const embedRetryMs = 2_000;
export const embedRetryMsMax = 300_000;

/** Characters of the calls that a delegated agent handed off, in the error for the call that delegated to it. */
export const handedOffCharsMax = 1_000;
/** Time limit of the check of an answer. */
export const verificationMsMax = 60_000;
/** Time limit of the choice of tools, and characters of the request that its model reads. */
export const selectionMsMax = 30_000;
export const selectionTextCharsMax = 4_000;

/** Lines of the agent, its tools and its hooks in one ANNOUNCE, and characters of each. */
export const hintsMax = 12;
export const hintCharsMax = 240;

/** Groups that are off in one ANNOUNCE, rows of tools that were not chosen, and characters of each row. */
export const inactiveGroupsMax = 20;
export const inactiveRowsMax = 6;
export const inactiveRowChars = 300;

/** How long the look-up of facts before the first round of a turn may take, and the question whether they still exist. */
export const recallMsMax = 5_000;
export const factCheckMsMax = 2_000;
/** Characters of the prompt that facts are looked up for. */
export const recallQueryCharsMax = 2_000;
/** When a turn is first checked for its end, to be recorded, and the longest interval between two checks. */
export const recordingDelayMs = 5_000;
export const recordingDelayMsMax = 60_000;
/** Time, attempts and characters of one recording. */
export const recordingMsMax = 180_000;
export const recordingAttempts = 8;
export const recordingCharsMax = 24_000;
/** Recordings that run at the same time. Those of one conversation run one after the other. */
export const recordingLanes = 4;
/** Known facts that a recording compares new ones with. */
export const recordingKnownFacts = 20;

/** Time beyond the time limit of a step after which its agent is stopped, even if no worker runs it. */
export const stepGraceMs = 90_000;
/** Characters of an answer in the end of a step, and bytes of the whole end. */
export const stepAnswerCharsMax = 24_000;
export const stepResultBytesMax = 96 * 1024;
/** Characters of the results that a step reads in its prompt. */
export const stepMaterialCharsMax = 48_000;
/** Time limit of the check whether the steps of a plan are enough, and characters of each answer that it reads. */
export const planCheckMsMax = 60_000;
export const planCheckAnswerChars = 4_000;
/** Conversations that one run of the retention deletes, and reads at once. */
export const idleDeletedMax = 5_000;
export const idlePageMax = 200;
export const retentionMsMax = 1_800_000;
export const retentionEveryMs = 3_600_000;
/** The lease of a fork while an edited result is written into it. */
export const editLeaseMs = 10_000;
