/** What the product promises about one subject: id → one sentence that a reader can check. */
export type Promises = Readonly<Record<string, string>>;
