/** What was promised in each place: id → one sentence that a reader can hold the program to. */
export type Promises = Readonly<Record<string, Readonly<Record<string, string>>>>;
