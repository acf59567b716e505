import type { StreamableFile } from '@nestjs/common';

/** A response with a revision, created only when If-None-Match does not match it; otherwise the response is 304. */
export abstract class RevisedResponse {
  /** Identifies the representation: responses of one URL with the same revision are equal. */
  abstract readonly revision: string;

  /**
   * Starts the response; errors thrown here still produce an error response.
   * @param onTaken called whenever the client has received a part
   */
  abstract openStream(onTaken: () => void): Promise<StreamableFile>;
}

/** A revised response whose body is a value, such as a page. */
export class RevisedJson<V extends object> {
  constructor(
    readonly revision: string,
    readonly load: () => Promise<V>,
  ) {}
}
