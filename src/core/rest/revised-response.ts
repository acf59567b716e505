import type { StreamableFile } from '@nestjs/common';

/** An answer that has a revision, and is made only for a caller who does not have it yet: others are answered 304. */
export abstract class RevisedResponse {
  /** Answers of one URL and one revision are the same. */
  abstract readonly revision: string;

  /** Makes the answer; an error that shows here can still be answered. */
  abstract openStream(): Promise<StreamableFile>;
}
