import { Injectable } from '@nestjs/common';
import type { SourceFile } from '../../formats/source-file.js';

export type RenderChart = (files: ReadonlyMap<string, SourceFile>) => Promise<string>;

/** Renders charts by the `helm` program where there is one. */
@Injectable()
export class ChartRenderer {
  /** How charts are rendered, or undefined where nothing can. */
  renderer(): Promise<RenderChart | undefined> {
    return Promise.resolve(undefined);
  }
}
