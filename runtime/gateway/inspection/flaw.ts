import type { AttachmentReason } from '../../client/protocol/envelope.ts';

/** Why a file is refused. `message` follows the name of the file: `is encrypted; …`. */
export type Flaw = { readonly reason: AttachmentReason; readonly message: string };

/** Thrown by checks. */
export class FlawError extends Error {
  readonly flaw: Flaw;

  constructor(reason: AttachmentReason, message: string) {
    super(message);
    this.flaw = { reason, message };
  }
}
