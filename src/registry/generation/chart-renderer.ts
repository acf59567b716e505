import { Injectable } from '@nestjs/common';
import { Programs } from '../../formats/programs/programs.js';
import type { SourceFile } from '../../formats/source-file.js';

export type RenderChart = (files: ReadonlyMap<string, SourceFile>) => Promise<string>;

/** Renders charts by the `helm` program where there is one. */
@Injectable()
export class ChartRenderer {
  constructor(private readonly programs: Programs) {}

  /** How charts are rendered, or undefined where nothing can. */
  async renderer(): Promise<RenderChart | undefined> {
    if (!(await this.programs.helm.available())) return undefined;
    return (files) => this.programs.helm.template(files, { releaseName: 'release', namespace: 'default' });
  }
}
