import { z } from 'zod';

/** A date or time in a query. */
export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be an ISO 8601 date or time')
  .transform((text) => new Date(text).toISOString());
