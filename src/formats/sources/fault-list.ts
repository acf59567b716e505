import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { listFaults } from '../../core/errors/problem.js';

/** Collects the faults of a file, so that its author sees all at once; lists at most `limit` and counts the rest. */
export class FaultList {
  private readonly kept: Fault[] = [];
  private omitted = 0;

  constructor(private readonly limit: number) {}

  get isEmpty(): boolean {
    return this.kept.length === 0;
  }

  /** In the order of the file. */
  get faults(): Fault[] {
    const sorted = [...this.kept].sort(
      (a, b) =>
        (a.file ?? '').localeCompare(b.file ?? '') ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
    return listFaults(sorted, this.omitted, this.limit);
  }

  add(...faults: Fault[]): void {
    for (const fault of faults) {
      if (this.kept.length < this.limit) this.kept.push(fault);
      else this.omitted += 1;
    }
  }

  /** Adds the faults of a reader that failed, and returns that nothing was read; any other error is rethrown. */
  addFrom(error: unknown): never[] {
    if (!(error instanceof InvalidRequest)) throw error;
    this.add(...error.errors);
    return [];
  }

  /** Throws InvalidRequest when there is a fault. `subject` begins the sentence: the name of the file. */
  throwIfAny(subject: string): void {
    const [first] = this.faults;
    if (!first) return;
    const count = this.kept.length + this.omitted;
    const line = first.line === undefined ? '' : `line ${first.line}, column ${first.column ?? 1}: `;
    const file = first.file === undefined || first.file === subject ? '' : `${first.file}: `;
    const more = count > 1 ? ` (and ${count - 1} more)` : '';
    throw new InvalidRequest(`${subject}: ${file}${line}${first.detail}${more}`, {
      errors: this.faults,
      remedy: first.remedy,
    });
  }
}
