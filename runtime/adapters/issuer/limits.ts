/** Allowed clock difference between the issuer and this machine. */
export const skewMsMax = 30_000;
/** Keys older than this are fetched again; while the issuer does not answer, old keys are used for up to the second limit. */
export const keysAgeMsMax = 600_000;
export const keysKeptMsMax = 86_400_000;
/** Minimum interval between requests to the issuer, whatever tokens arrive. */
export const keysCooldownMs = 10_000;
export const issuerDeadlineMs = 5_000;
/** Bytes of a discovery document, and of a key set. */
export const issuerAnswerBytesMax = 524_288;
/** Characters of a user id; 255 as in OpenID Connect. */
export const userCharsMax = 255;
/** Roles of one token. */
export const rolesMax = 256;
/** Minimum bytes of a shared secret, as HS256 requires. */
export const secretBytesMin = 32;
