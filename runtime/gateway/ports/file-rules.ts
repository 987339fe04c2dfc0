/** Undefined: nothing was found in it; else what was. Fault `SCANNER_UNREACHABLE`: nobody knows. */
export type Scan = (
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly size: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** What is asked of files that come in. Undefined: what the gateway has for everybody. */
export type FileRules = {
  /** Of one image, one PDF, one text, one file of any other type, and all files of a message. */
  readonly imageBytes?: number | undefined;
  readonly pdfBytes?: number | undefined;
  readonly textBytes?: number | undefined;
  readonly fileBytes?: number | undefined;
  readonly messageBytes?: number | undefined;
  readonly pdfPages?: number | undefined;
  /** Absent: files are not looked into. */
  readonly scan?: Scan | undefined;
};
