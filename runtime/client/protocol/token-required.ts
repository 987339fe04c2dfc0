/** How the message begins that refuses a request without a token. */
export const tokenRequired = 'authentication required';
