import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { RevisedResponse } from './revised-response.js';

export interface StreamedListOptions {
  plural: string;
  /** What a change of the records changes: answers of one URL and one revision are the same. */
  revision: string;
  /** Views, some at a time. */
  batches: AsyncIterable<object[]>;
  /** What goes into the envelope beside `page`, `page_size` and `total_count`. */
  rest?: (total: number) => object;
}

/**
 * A list of everything, made while it is sent and never held: `page` first, then the records, and in the end how many they
 * were. A controller returns it as it would a page; a caller who has this revision is answered 304 before anything is read.
 */
export class StreamedList extends RevisedResponse {
  readonly revision: string;

  constructor(private readonly settings: StreamedListOptions) {
    super();
    this.revision = settings.revision;
  }

  /** Begins: what is wrong with the question shows with the first batch. */
  override async openStream(onTaken: () => void): Promise<StreamableFile> {
    const batches = this.settings.batches[Symbol.asyncIterator]();
    const first = await batches.next();
    return new StreamableFile(Readable.from(this.generateJson(first, batches, onTaken)), {
      type: 'application/json; charset=utf-8',
    });
  }

  private async *generateJson(
    first: IteratorResult<object[]>,
    batches: AsyncIterator<object[]>,
    onTaken: () => void,
  ): AsyncGenerator<string> {
    const { plural, rest } = this.settings;
    let total = 0;
    yield `{"page":0,"${plural}":[`;
    for (let next = first; !next.done; next = await batches.next()) {
      const separator = total === 0 || next.value.length === 0 ? '' : ',';
      total += next.value.length;
      yield separator + next.value.map((each) => JSON.stringify(each)).join(',');
      onTaken();
    }
    const end = JSON.stringify({ page_size: total, total_count: total, ...rest?.(total) });
    yield `],${end.slice(1)}`;
  }
}
