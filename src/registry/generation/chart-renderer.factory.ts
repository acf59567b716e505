import { Injectable } from '@nestjs/common';
import { LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import type { SourceFile } from '../../formats/sources/source-file.js';

export type RenderChart = (files: ReadonlyMap<string, SourceFile>) => Promise<string>;

/** Renders charts by the `helm` program where there is one. */
@Injectable()
export class ChartRendererFactory {
  constructor(private readonly programs: LocalRenderEngines) {}

  /** How charts are rendered, or undefined where nothing can. */
  async createRenderer(): Promise<RenderChart | undefined> {
    if (!(await this.programs.helm.isAvailable())) return undefined;
    return (files) => this.programs.helm.template(files, { releaseName: 'release', namespace: 'default' });
  }
}
