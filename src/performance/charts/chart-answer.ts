import { StreamableFile } from '@nestjs/common';
import { RevisedResponse } from '../../core/rest/revised-response.js';
import type { PerformanceRun } from '../runs/run.entity.js';

/** The version of the drawing, part of the ETag: increment it to invalidate cached charts. */
const RENDERER_VERSION = 5;

/** A response with an SVG chart, which is drawn only if the caller's cached one is stale. */
export class ChartAnswer extends RevisedResponse {
  readonly revision: string;

  /** @param draw returns the SVG document */
  constructor(
    runs: readonly PerformanceRun[],
    private readonly draw: () => string,
  ) {
    super();
    this.revision = `${runs.map(({ revision }) => revision).join('.')}.${RENDERER_VERSION}`;
  }

  override openStream(): Promise<StreamableFile> {
    const bytes = Buffer.from(this.draw());
    return Promise.resolve(new StreamableFile(bytes, { type: 'image/svg+xml', length: bytes.length }));
  }
}
