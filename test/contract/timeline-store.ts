import { afterAll, beforeAll, describe } from 'vitest';
import { acceptContract } from './timeline-store/accept.ts';
import { appendContract } from './timeline-store/append.ts';
import { eraseContract } from './timeline-store/erase.ts';
import { eraseUserContract } from './timeline-store/erase-user.ts';
import { feedbackContract } from './timeline-store/feedback.ts';
import { forkContract } from './timeline-store/fork.ts';
import { forkMemoryContract } from './timeline-store/fork-memory.ts';
import { joiningContract } from './timeline-store/joining.ts';
import type { StoreUnderTest } from './timeline-store/kit.ts';
import { leaseContract } from './timeline-store/lease.ts';
import { overviewContract } from './timeline-store/overview.ts';
import { parkedContract } from './timeline-store/parked.ts';
import { programsContract } from './timeline-store/programs.ts';
import { readingContract } from './timeline-store/reading.ts';
import { searchingContract } from './timeline-store/searching.ts';

/** What every TimelineStore promises. The store is opened once; each test works in a tenant of its own. */
export function timelineStoreContract(
  name: string,
  open: () => Promise<StoreUnderTest & AsyncDisposable>,
): void {
  describe(`${name} keeps the timeline store's promises`, () => {
    let opened: (StoreUnderTest & AsyncDisposable) | undefined;
    const current = () => {
      if (!opened) throw new Error('the store is not open yet');
      return opened;
    };
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.[Symbol.asyncDispose]();
    });
    describe('accept', () => acceptContract(current));
    describe('joining', () => joiningContract(current));
    describe('append', () => appendContract(current));
    describe('lease', () => leaseContract(current));
    describe('erase', () => eraseContract(current));
    describe('erase a user', () => eraseUserContract(current));
    describe('feedback', () => feedbackContract(current));
    describe('fork', () => forkContract(current));
    describe('memory of a fork', () => forkMemoryContract(current));
    describe('overview', () => overviewContract(current));
    describe('parked', () => parkedContract(current));
    describe('programs', () => programsContract(current));
    describe('reading', () => readingContract(current));
    describe('searching', () => searchingContract(current));
  });
}
