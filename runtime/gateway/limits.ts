/** Every bound of the front door, with its unit. */

/** Blocks that are read at once to find where an open turn began. */
export const blocksSoughtAtOnce = 1_000;
/** Bytes of one attachment, by what it is. */
export const imageBytesMax = 5 * 1024 * 1024;
export const pdfBytesMax = 10 * 1024 * 1024;
export const textBytesMax = 10 * 1024 * 1024;
export const fileBytesMax = 25 * 1024 * 1024;
/** Bytes of all attachments of one message. */
export const messageBytesMax = 25 * 1024 * 1024;
/** Bytes of one socket packet or JSON body: more than this takes too long to parse. Larger files go ahead as uploads. */
export const packetBytesMax = 8 * 1024 * 1024;
/** Bytes of a form with all files of a message, and of the binary parts of one socket message together. */
export const formBytesMax = 36 * 1024 * 1024;
/** Bytes of one long-polling request: it may hold a packet in every other byte. */
export const pollBytesMax = 1024 * 1024;
/** Bytes that a socket connection may send before it is admitted: a handshake with its token. */
export const anonymousBytesMax = 32 * 1024;
/** How long a socket connection has to present who it is. */
export const admissionMs = 10_000;
/** Connections on which nobody has been identified yet; one more, and the oldest is closed. */
export const anonymousConnectionsMax = 1_024;
/** Requests without identity to public operations under way at once, and how long a request body may take. */
export const publicInFlightMax = 64;
export const bodyDeadlineMs = 30_000;
export const fileNameCharsMax = 120;
/** Characters of a textual attachment that stand in its block. */
export const previewCharsMax = 4_000;
/** Characters of the prompt that `turn.open` repeats. */
export const openTextCharsMax = 4_000;

/** Roles of one visitor. */
export const rolesMax = 32;
/** Operations of all bundles under way at once, those that do not end when they are stopped among them. */
export const operationsInFlightMax = 128;
export const feedbackPerMinuteMax = 60;
/** Characters of what a user says of an answer. */
export const feedbackCharsMax = 1_000;
/** Turns of one answer of `turns-with-feedbacks`: the newest; and how far back it may look. */
export const feedbackTurnsMax = 200;
export const feedbackDaysMax = 3_650;
/** Conversations of one page of `conversations-in-period`. */
export const feedbackConversationsMax = 500;
/** Events that one bundle sends to one conversation. */
export const bundleEventsPerMinuteMax = 600;
/** Characters of the key, and of the title, of a conversation that a bundle opens. */
export const bundleKeyCharsMax = 400;
export const titleCharsMax = 200;
export const forksPerMinuteMax = 60;
export const messagesPerMinuteMax = 60;
/** Characters of a token in a cookie: browsers drop one that is larger than 4,096 with its name. */
export const cookieCharsMax = 3_800;
/** Users whose rate is remembered; the longest idle go first. */
export const ratedUsersMax = 10_000;

/** How long an upload may take, and how long it then waits for its message. */
export const uploadTtlMs = 60 * 60 * 1000;
/** Uploads of one user that wait for their message. */
export const uploadsMax = 1_000;
/** Uploads of one user that are not finished: one more, and the oldest is dropped. */
export const openUploadsMax = 16;
/** Bytes of an upload that are kept at a time: what a cut connection brought counts. */
export const uploadPartBytes = 256 * 1024;
/** Parts of one upload: those of a large one are larger. */
export const uploadPartsMax = 1_024;

export const subscriptionsPerSocketMax = 32;
/** Blocks that are looked through to find where the last turns begin. */
export const tailBlocksMax = 20_000;
/** Blocks read at once for a subscription. */
export const feedPageMax = 200;
/** Frames waiting for one slow subscription; more, and it goes back to the bus buffer. */
export const feedFramesMax = 2_000;
/** How often a subscription looks into the store without being told to, should the bus have lost a note. */
export const feedPollMs = 10_000;
export const feedRetryMs = 1_000;
/** Packets handed to one connection and not yet on their way. */
export const packetsWaitingMax = 128;
/** Characters of JSON that a tool's input or result may have on the wire; more is previewed. */
export const wireJsonCharsMax = 12_000;
export const wirePreviewCharsMax = 2_000;
/** Sources looked up for the links of one answer. */
export const sourcesPerAnswerMax = 100;
/** Conversations of one listing. */
export const conversationsMax = 200;
/** Blocks of one answer of `fetch`. */
export const fetchBlocksMax = 1_000;
/** Blocks read at once, and in all, to find an event that is taken back. */
export const recallPageMax = 1_000;
export const recallBlocksMax = 50_000;
/** How long a browser may remember that pages of another origin may ask. */
export const preflightSecondsMax = 600;
export const healthDeadlineMs = 2_000;
export const keepAliveMs = 15_000;
