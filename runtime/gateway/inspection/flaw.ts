import type { AttachmentReason } from '../../client/protocol/envelope.ts';

/** Why a file is refused. `says` follows the name of the file: `is encrypted; …`. */
export type Flaw = { readonly reason: AttachmentReason; readonly message: string };

/** Thrown within a check, from wherever the flaw is found. */
export class FlawError extends Error {
  readonly flaw: Flaw;

  constructor(reason: AttachmentReason, message: string) {
    super(message);
    this.flaw = { reason, message };
  }
}
