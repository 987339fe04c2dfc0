import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { S3Objects } from '../../../../runtime/adapters/s3/objects.ts';
import { containing } from '../../../tools/matchers.ts';

const place = { bucket: 'acme', prefix: '' };
const signal = new AbortController().signal;
const missing = (what: string) => () => Promise.reject(new Error(`${what} missing`));

test('a bucket of which nobody says the region is a setting to mend', async () => {
  const client = new S3Client({ region: missing('Region') });
  await expect(new S3Objects(place, client).check({ signal })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: containing('s3://acme: no AWS region is configured; set AWS_REGION'),
  });
});

test('a bucket for which there are no credentials is reported as one that does not answer', async () => {
  const client = new S3Client({ region: 'eu-central-1', credentials: missing('Credentials') });
  await expect(new S3Objects(place, client).check({ signal })).rejects.toMatchObject({
    code: 'BLOBS_UNAVAILABLE',
    message: containing('s3://acme: Error Credentials missing'),
  });
});
