import { toPointer } from '../../../core/json/json-pointer.js';

/** The location of a value that is being normalized, and the report of its faults. */
export class ComposeField {
  constructor(
    readonly pointer: string,
    private readonly report: (pointer: string, detail: string, remedy?: string) => void,
    /** The octal number at a location of the source, whose leading zero a plain number has lost. */
    readonly octal: (pointer: string) => number | undefined = () => undefined,
  ) {}

  at(segment: string | number): ComposeField {
    return new ComposeField(this.pointer + toPointer(segment), this.report, this.octal);
  }

  fault(detail: string, remedy?: string): void {
    this.report(this.pointer, detail, remedy);
  }
}
