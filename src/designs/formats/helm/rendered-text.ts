import { type Fault } from '../../../core/errors/app-error.js';
import { type ChartFiles } from '../../../formats/helm/helm.js';
import type { LocatedDocument } from '../../../formats/documents/located-document.js';

const SOURCE = /^---\n# Source: (.+)$/gm;

/** Maps each part of a rendering to its template. */
export class RenderedText {
  private readonly marks: { line: number; template: string }[] = [];

  constructor(
    readonly text: string,
    private readonly files: ChartFiles,
  ) {
    let line = 1;
    let at = 0;
    for (const match of text.matchAll(SOURCE)) {
      for (let next = text.indexOf('\n', at); next >= 0 && next < match.index; next = text.indexOf('\n', at)) {
        line += 1;
        at = next + 1;
      }
      this.marks.push({ line, template: this.withinChart(match[1] ?? '') });
    }
  }

  /** The path of the template within the chart: `templates/service.yaml`, `charts/db/templates/service.yaml`. */
  templateOf(document: LocatedDocument): string {
    return this.markAt(document.findPosition('').line)?.template ?? '';
  }

  /** A fault of the rendered text as one of the template, which has other line numbers. */
  toTemplateFault({ file: _file, line = 1, column: _column, ...fault }: Fault): Fault {
    const mark = this.markAt(line);
    const template = mark?.template ?? '';
    const detail = `${fault.detail} (line ${line - (mark ? mark.line + 1 : 0)} of what it renders to)`;
    return { ...fault, file: this.files.get(template)?.path ?? template, detail };
  }

  private markAt(line: number): { line: number; template: string } | undefined {
    let [low, high] = [0, this.marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.marks[middle]?.line ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    return this.marks[low - 1];
  }

  /** Helm begins paths with the name of the chart. */
  private withinChart(path: string): string {
    return path.slice(path.indexOf('/') + 1);
  }
}
