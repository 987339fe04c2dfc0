/** Bytes of one message of an agent program. */
export const acpMessageBytesMax = 16 * 1024 * 1024;
/** Time for starting a program and opening its session. */
export const acpStartMsMax = 60_000;
/** A program that was asked to stop is ended after this time. */
export const acpCancelMsMax = 15_000;
/** Characters of a diff that this runtime makes of two texts, and of the texts. */
export const diffCharsMax = 400_000;
/** Events of a program that wait for the log; a program with more is ended. */
export const waitingEventsMax = 10_000;
/** Values in the input or output of one call. */
export const outputValuesMax = 50_000;
/** A program that has closed its output should have ended by then. */
export const acpExitMsMax = 2_000;
/** Characters of the output of one command. */
export const terminalCharsMax = 400_000;
