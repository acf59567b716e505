import type { StreamableFile } from '@nestjs/common';

/** An answer that has a revision, and is made only for a caller who does not have it yet: others are answered 304. */
export abstract class RevisedResponse {
  /** Answers of one URL and one revision are the same. */
  abstract readonly revision: string;

  /**
   * Makes the answer; an error that shows here can still be answered.
   * @param onTaken to be called whenever the caller has taken a part
   */
  abstract openStream(onTaken: () => void): Promise<StreamableFile>;
}

/** The same for an answer that is a value, such as a page. */
export class RevisedJson<V extends object> {
  constructor(
    readonly revision: string,
    readonly load: () => Promise<V>,
  ) {}
}
