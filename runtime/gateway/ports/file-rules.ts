/** The name of what was found; undefined: nothing. Fault `SCANNER_UNREACHABLE`: unknown. */
export type Scan = (
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly size: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** Limits and checks of incoming files. Undefined: the defaults of the gateway. */
export type FileRules = {
  /** Limits of one image, one PDF, one text, one file of any other type, and all files of a message. */
  readonly imageBytes?: number | undefined;
  readonly pdfBytes?: number | undefined;
  readonly textBytes?: number | undefined;
  readonly fileBytes?: number | undefined;
  readonly messageBytes?: number | undefined;
  readonly pdfPages?: number | undefined;
  /** Absent: files are not scanned. */
  readonly scan?: Scan | undefined;
};
