/** How far the clocks of the issuer and of this machine may be apart. */
export const skewMsMax = 30_000;
/** Keys older than this are asked for again; while nobody answers, the old ones are good for so long. */
export const keysAgeMsMax = 600_000;
export const keysKeptMsMax = 86_400_000;
/** Between two questions to the issuer, whatever strangers present. */
export const keysCooldownMs = 10_000;
export const issuerDeadlineMs = 5_000;
/** Characters of what an issuer says of itself, and of its keys. */
export const issuerAnswerCharsMax = 524_288;
/** Characters of what names a user; OpenID Connect has 255. */
export const userCharsMax = 255;
/** Roles that one token may give. */
export const rolesMax = 256;
/** Bytes of a shared secret: what HS256 asks for. */
export const secretBytesMin = 32;
