import type { AttachmentReason } from '../../client/protocol/envelope.ts';

/** Why a file is refused. `says` follows the name of the file: `is encrypted; …`. */
export type Flaw = { readonly reason: AttachmentReason; readonly says: string };

/** Thrown within a check, from wherever the flaw is found. */
export class FlawFound extends Error {
  readonly flaw: Flaw;

  constructor(reason: AttachmentReason, says: string) {
    super(says);
    this.flaw = { reason, says };
  }
}
