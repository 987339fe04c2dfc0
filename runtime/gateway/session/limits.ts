/** Characters of a token in a cookie: browsers drop cookies larger than 4,096, including the name. */
export const cookieCharsMax = 3_800;
/** How long a user may take at the identity provider. */
export const signInSecondsMax = 600;
/** How long a browser keeps a refresh token. The provider may end it earlier. */
export const renewalSecondsMax = 30 * 86_400;
